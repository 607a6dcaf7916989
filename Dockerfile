# One image for the api, the realtime relay and the avatar worker: the command selects which.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The pages and the programs are built here, so that the container writes to /data and /tmp alone.
RUN node --import tsx cli/build.ts

FROM node:24.21.0-bookworm-slim
# rtc-node and onnxruntime load these at run time; nothing is compiled.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libgomp1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without what only builds and tests need; tsx, which runs the commands' TypeScript, is no development package.
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
COPY --from=build /app/web/dist web/dist
COPY --from=build /app/node_modules/.cache/open-avatar-service node_modules/.cache/open-avatar-service
RUN mkdir -p /data/voices && chown -R node:node /data && chmod 0700 /data
USER node
EXPOSE 8080
ENTRYPOINT ["node"]
# The api, as `npm start` runs it. The avatar worker: --enable-source-maps node_modules/.cache/open-avatar-service/worker.mjs
CMD ["--enable-source-maps", "--max-semi-space-size=8", "node_modules/.cache/open-avatar-service/api.mjs"]
