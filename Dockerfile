# One image for the api and the avatar worker; the command names the entry point.
FROM node:20-bookworm-slim
# rtc-node and onnxruntime verify TLS and use these; nothing is compiled.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libgomp1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The pages are built here, so that the container needs to write nothing but /data.
RUN node --import tsx -e 'import("/app/web/build.ts").then(({ buildWeb }) => buildWeb({ outDir: "/app/web/dist" }))' \
  && mkdir /data && chown node:node /data
USER node
EXPOSE 8080
ENTRYPOINT ["node", "--import", "tsx"]
CMD ["api/main.ts"]
