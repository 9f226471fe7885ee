import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addProgram, bareSystem, copierInto, whereIs } from './bare-system.ts';
import { npmOfBuild, type Podman } from './podman.ts';

/**
 * Images under the names that our files use, of the programs that Debian has: CI reaches no registry of images. They accept what our files give
 * to the images of the registry, and write to the same directories.
 */
export function importRegistryImages(podman: Podman, directory: string): void {
  const node = join(directory, 'node');
  bareSystem(node, process.execPath);
  const variables = npmOfBuild().variables.map((each) => `ENV ${each}`);
  podman.importImage(node, 'docker.io/library/node:24-trixie-slim', variables);
  importPostgres(podman, join(directory, 'postgres'));
  importCaddy(podman, join(directory, 'caddy'));
  importNats(podman, join(directory, 'nats'));
  importKamailio(podman, join(directory, 'kamailio'));
  rmSync(directory, { recursive: true });
}

const postgresVersions = '/usr/lib/postgresql';

function importPostgres(podman: Podman, directory: string): void {
  const copy = emptySystem(directory);
  const [version = ''] = readdirSync(postgresVersions).sort((one, other) => Number(other) - Number(one));
  const installed = join(postgresVersions, version);
  for (const name of ['postgres', 'initdb', 'pg_isready']) addProgram(copy, join(installed, 'bin', name));
  for (const name of ['plpgsql', 'dict_snowball']) addProgram(copy, join(installed, `lib/${name}.so`));
  for (const name of ['sh', 'chown', 'setpriv']) addProgram(copy, whereIs(name), `/usr/bin/${name}`);
  copy(whereIs('sh'), '/bin/sh');
  copy(join('/usr/share/postgresql', version));
  copy('/usr/share/zoneinfo');
  for (const name of ['passwd', 'group']) copy(`/etc/${name}`);
  mkdirSync(join(directory, 'var/lib/postgresql/data'), { recursive: true });
  writeFileSync(join(directory, 'usr/bin/start-postgres'), startPostgres, { mode: 0o755 });
  podman.importImage(directory, 'docker.io/library/postgres:17', [
    `ENV PATH=${join(installed, 'bin')}:/usr/bin`,
    'ENV PGHOST=/tmp',
    'ENTRYPOINT ["start-postgres"]',
  ]);
}

/** Of the image of PostgreSQL: the first start makes the database, its user and the password. */
const startPostgres = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
chown postgres $data
if ! [ -e $data/PG_VERSION ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  as_postgres initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 \\
    -E UTF8 --locale=C --no-sync
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "create database $POSTGRES_DB" | as_postgres postgres --single -D $data postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D $data -h 0.0.0.0 -k /tmp
`;

function importCaddy(podman: Podman, directory: string): void {
  addProgram(emptySystem(directory), whereIs('caddy'), '/usr/bin/caddy');
  podman.importImage(directory, 'docker.io/library/caddy:2', [
    'ENV PATH=/usr/bin',
    'ENV XDG_CONFIG_HOME=/config',
    'ENV XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ]);
}

/** The image of NATS has the server alone, in the root directory. */
function importNats(podman: Podman, directory: string): void {
  addProgram(emptySystem(directory), whereIs('nats-server'), '/nats-server');
  podman.importImage(directory, 'docker.io/library/nats:2', ['ENTRYPOINT ["/nats-server"]']);
}

/** The image of Kamailio is Debian with all modules of Kamailio and their configuration in a volume. */
function importKamailio(podman: Podman, directory: string): void {
  const copy = emptySystem(directory);
  for (const name of ['kamailio', 'sed']) addProgram(copy, whereIs(name));
  addProgram(copy, whereIs('sh'), '/bin/sh');
  const configuration = readFileSync(join(import.meta.dirname, '../../deploy/kamailio/kamailio.cfg'), 'utf8');
  const [, ...paths] = /^mpath="([^"]+)"$/m.exec(configuration) ?? [];
  const modules = paths.join().split(':').find(existsSync) ?? '';
  for (const [, name = ''] of configuration.matchAll(/^loadmodule "(.+)"$/gm))
    addProgram(copy, join(modules, name));
  mkdirSync(join(directory, 'etc/kamailio'));
  podman.importImage(directory, 'ghcr.io/kamailio/kamailio:5.8.4-bookworm', [
    'ENV PATH=/usr/sbin:/usr/bin:/bin',
    'VOLUME /etc/kamailio',
  ]);
}

function emptySystem(directory: string): ReturnType<typeof copierInto> {
  for (const name of ['tmp', 'etc', 'run', 'proc', 'dev', 'sys'])
    mkdirSync(join(directory, name), { recursive: true });
  chmodSync(join(directory, 'tmp'), 0o1777);
  return copierInto(directory);
}
