# The service in one container that has no shell, no package manager and no right to write but to /data. From this folder:
#
#   docker build --tag landfall .
#   docker run --restart unless-stopped --read-only --volume landfall:/data --publish 8787:8787 --env LANDFALL_PUBLIC_URL=http://localhost:8787 landfall
#   docker run --read-only --volume landfall:/data landfall account create --name Ana --email ana@example.org --plan pro
#   docker run --read-only --volume landfall:/data landfall backup /data/backup.db
#
# Both images are pinned by digest. Renovate (.github/renovate.json) proposes the newer digest of each tag, which
# `docker buildx imagetools inspect IMAGE` prints too.
FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /landfall
COPY . .
# What is installed is what `npm pack` makes, as an app has it: one package without dependencies.
RUN npm ci \
  && npm pack --pack-destination /tmp \
  && npm install --prefix /app --no-audit --no-fund /tmp/landfall-*.tgz \
  && mkdir /data

FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
COPY --from=build /app/node_modules/landfall /app
COPY --from=build --chown=65532:65532 /data /data
ENV NODE_ENV=production \
  LANDFALL_HOST=0.0.0.0 \
  LANDFALL_DATABASE_URL=file:/data/landfall.db
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --start-period=10s \
  CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:8787/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself, so that the signal to stop reaches the service.
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/cli.js"]
CMD ["serve"]
