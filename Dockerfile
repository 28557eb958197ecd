# The headless program in a container. Publish its port on loopback alone; it answers to 127.0.0.1 only:
#   docker run -d --name ownkey -p 127.0.0.1:7788:7788 -v ownkey:/data ownkey
#   docker exec ownkey ownkey channel add ...     docker exec ownkey ownkey key new
# Provider keys are sealed by a key in the volume, or by one that is mounted: -e OWNKEY_KEY_FILE=/run/secrets/ownkey-key
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --loglevel=error
RUN npm run build

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/out/main ./out/main
COPY --from=build /src/out/renderer ./out/renderer
COPY --from=build /src/node_modules/better-sqlite3 ./node_modules/better-sqlite3
RUN ln -s /app/out/main/headless.js /usr/local/bin/ownkey && chmod 755 /app/out/main/headless.js \
  && mkdir -m 700 /data && chown node:node /data
ENV NODE_ENV=production OWNKEY_DATA_DIR=/data OWNKEY_CONTAINER=1
USER node
VOLUME /data
EXPOSE 7788
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s CMD ["node", "-e", "fetch('http://127.0.0.1:7788/').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "/app/out/main/headless.js"]
CMD ["serve", "--host", "0.0.0.0", "--port", "7788"]
