import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmOfBuild, type Podman } from './podman.ts';

const root = join(import.meta.dirname, '../..');

/** Runs commands of the pages about containers in a clone, as a reader does. */
export class ContainerPages {
  readonly #clone: string;
  readonly #podman: Podman;

  constructor(clone: string, podman: Podman) {
    this.#clone = clone;
    this.#podman = podman;
    // What git has of the files that these commands read.
    for (const name of ['deploy', '.containerignore'])
      cpSync(join(root, name), join(clone, name), { recursive: true });
  }

  /** A script for a shell: `npm ci` is left out, which `first-call.ts` runs. */
  script(text: string): string {
    const pack = `'${process.execPath}' '${join(root, 'tools/publish/pack.ts')}' --into dist jackfield`;
    const volumes = npmOfBuild().volumes.map((each) => `--volume '${each}'`);
    return `set -eu
npm() { case "$*" in ci) ;; 'run pack -- jackfield') ${pack} ;; *) return 1 ;; esac; }
podman() {
  case "$1" in
    build) shift; command podman build --pull=never ${volumes.join(' ')} "$@" ;;
    # As podman from 4.7 on: it gives the compose of Docker its own socket.
    compose) shift; DOCKER_HOST='unix://${this.#podman.socket}' docker-compose "$@" ;;
    *) exec podman "$@" ;;
  esac
}
${text}`;
  }

  /** Resolves with what the commands print. */
  async follow(text: string): Promise<string> {
    const options = { cwd: this.#clone, env: this.#podman.env };
    return (await promisify(execFile)('sh', ['-c', this.script(text)], options)).stdout;
  }

  /** Commands that copy the `.env.example` of a directory, in which these values are then filled in, and others that bring its file up. */
  async bringUp(directory: string, text: string, values: Readonly<Record<string, string>>): Promise<void> {
    const [copy = '', up = ''] = text.split(/^(?=podman)/m);
    // Debian 12 has the compose of 2021, when a file had no name of its own: the directory gives it one.
    const file = join(this.#clone, directory, 'compose.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*$/m, ''));
    await this.follow(copy);
    const env = join(this.#clone, directory, '.env');
    const filled = readFileSync(env, 'utf8').replace(
      /^(\w+)=(.*)$/gm,
      (_line, name: string, example: string) => `${name}=${values[name] ?? (example || '0f'.repeat(32))}`,
    );
    writeFileSync(env, filled);
    await this.follow(up);
  }
}
