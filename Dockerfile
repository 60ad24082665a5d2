# The service in one container that has no shell, no package manager and no right to write but to /data. From this folder:
#
#   docker build --tag landfall .
#   docker run --restart unless-stopped --read-only --volume landfall:/data --publish 8787:8787 --env LANDFALL_PUBLIC_URL=http://localhost:8787 landfall
#   docker run --read-only --volume landfall:/data landfall account create --name Ana --email ana@example.org --plan pro
#   docker run --read-only --volume landfall:/data landfall backup /data/backup.db
#
# Pin both images where you build for production: `docker buildx imagetools inspect IMAGE` prints the digest of today, which follows the tag
# (IMAGE@sha256:…).
FROM node:24-slim AS build
WORKDIR /landfall
COPY . .
# What is installed is what `npm pack` makes, as an app has it: one package without dependencies.
RUN npm ci \
  && npm pack --pack-destination /tmp \
  && npm install --prefix /app --no-audit --no-fund /tmp/landfall-*.tgz \
  && mkdir /data

FROM gcr.io/distroless/nodejs24-debian12:nonroot
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
