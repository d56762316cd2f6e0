# The image of waybilld, and of the command waybill. docs/containers.md describes how to run it.

# The tools of `waybilld admin backup` and `restore`, which must be at least as new as the server: --build-arg POSTGRES=18
ARG POSTGRES=17
FROM docker.io/library/postgres:${POSTGRES}-trixie AS postgres
RUN mkdir -p /tools/usr/local/bin \
 && cp /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore /usr/lib/postgresql/*/bin/psql /tools/usr/local/bin \
 && ldd /tools/usr/local/bin/* | grep -o '/[^ ]*\.so[^ ]*' | sort -u | xargs -I{} cp -L --parents {} /tools

FROM docker.io/library/node:26-trixie-slim AS build
WORKDIR /srv/waybill
COPY package.json package-lock.json ./
COPY protocol/package.json protocol/
COPY evidence/package.json evidence/
COPY server/package.json server/
COPY client/package.json client/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# The libraries of waybilld are part of server/dist. Only their licences stay, and the files that vulnerability scanners read.
RUN find node_modules server/node_modules -type f ! -name package.json ! -iname 'licen[cs]e*' -delete

# The whole content of the image: PostgreSQL's tools and Node with the libraries they are linked to, and the program. Where
# both have a library, it is Node's.
COPY --from=postgres /tools /image
RUN mkdir -p /image/etc /image/srv/waybill /empty \
 && cp --parents /usr/local/bin/node /image \
 && ldd /usr/local/bin/node | grep -o '/[^ ]*' | xargs -I{} cp -L --parents {} /image \
 && cp -a --parents -t /image/srv/waybill package.json node_modules protocol/package.json protocol/dist evidence/package.json evidence/dist \
      server/package.json server/node_modules server/dist server/migrations server/texts server/fonts \
      client/package.json client/node_modules client/dist \
 && echo 'waybill:x:10001:10001:Waybill:/nonexistent:/usr/sbin/nologin' > /image/etc/passwd \
 && echo 'waybill:x:10001:' > /image/etc/group \
 && echo 'hosts: files dns' > /image/etc/nsswitch.conf

FROM scratch
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Waybill" \
      org.opencontainers.image.description="Self-hosted secure file exchange for machines and people" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
# A new volume that is mounted here belongs to the program, so that compose.yaml can keep secrets in one.
COPY --from=build --chown=10001:10001 /empty /etc/waybill
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    WAYBILL_LISTEN=0.0.0.0:8080 \
    WAYBILL_PROBES_LISTEN=0.0.0.0:8081 \
    WAYBILL_WORK_PROBES_LISTEN=0.0.0.0:8081
EXPOSE 8080 8081
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=20s --start-period=120s CMD ["node", "/srv/waybill/server/dist/health.js"]
ENTRYPOINT ["node", "/srv/waybill/server/dist/main.js"]
CMD ["serve"]
