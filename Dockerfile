# One image for the api and the avatar worker: the command says which, and how Node is to run it.
FROM node:20-bookworm-slim
# rtc-node and onnxruntime verify TLS and use these; nothing is compiled.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libgomp1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The pages and the api are built here, so that the container needs to write nothing but /data.
RUN node --import tsx cli/build.ts && mkdir /data && chown node:node /data
USER node
EXPOSE 8080
ENTRYPOINT ["node"]
# The api, as `npm start` runs it. The avatar worker: --import tsx agent-worker/main.ts
CMD ["--enable-source-maps", "--max-semi-space-size=8", "node_modules/.cache/open-avatar-service/api.mjs"]
