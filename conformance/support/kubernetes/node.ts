import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spawnBound } from '../bound-child.ts';
import { compileCache } from '../compile-cache.ts';
import { eachLine } from '../lines.ts';
import { serverMain } from '../server-main.ts';
import type { KubernetesApiServer, KubernetesObject } from './api-server.ts';

const root = join(import.meta.dirname, '../../..');
/** Where a pod sees this clone, whatever the rights of the directories above it. */
const clone = '/opt';

/** Where services are reached within the cluster. */
const clusterAddress = '10.96.12.7';

/** What a probe has unless the manifest says otherwise, by the reference of the API. */
const defaultProbe = { periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };

/**
 * Does for deployments of one pod with one container what the controllers, the scheduler and the kubelet of a cluster do. The container is
 * the server of the tests in place of the image, as `deploy/Containerfile` starts it.
 */
export class KubernetesNode {
  readonly #api: KubernetesApiServer;
  readonly #address: string;
  readonly #directory: string;
  readonly #ended = new AbortController();
  readonly #failed = new AbortController();
  readonly #log: string[] = [];
  #container: ChildProcess | undefined;
  #exit: Promise<number | null> | undefined;

  /** `address`: of the node. `directory`: of the volumes. */
  constructor(api: KubernetesApiServer, address: string, directory: string) {
    this.#api = api;
    this.#address = address;
    this.#directory = directory;
    api.changes.on('change', () => this.#reconcile());
  }

  /** The last lines of the container, for the message of a test that fails. */
  get log(): string {
    return this.#log.slice(-30).join('\n');
  }

  /** Aborted when the container ends although nothing has stopped it. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Where a service leads: to the pods that its selector chooses, at the port with this name. */
  endpointOf({ spec }: KubernetesObject, name: string): string | undefined {
    const pods = this.#api.list('deployments').map((deployment) => deployment.spec.template);
    const pod = pods.find(({ metadata }) => hasLabels(metadata.labels, spec.selector));
    const { targetPort } = spec.ports.find((port: KubernetesObject) => port.name === name);
    return pod === undefined
      ? undefined
      : `http://${this.#address}:${portOf(pod.spec.containers[0], targetPort)}`;
  }

  /** SIGTERM; resolves with the exit code of the container, undefined when none was started. */
  async stop(): Promise<number | null | undefined> {
    this.#ended.abort();
    this.#container?.kill();
    return this.#exit;
  }

  /** Starts the pod of a deployment as soon as all that it refers to is there. */
  #reconcile(): void {
    for (const deployment of this.#api.list('deployments')) {
      const { metadata, spec } = deployment.spec.template;
      assert.ok(
        hasLabels(metadata.labels, deployment.spec.selector.matchLabels),
        'the selector misses its pod',
      );
      const isBound = this.#api
        .list('nodes')
        .some((node) => hasLabels(node.metadata.labels, spec.nodeSelector));
      const environment = this.#environmentOf(spec);
      const claims = spec.volumes.flatMap((volume: KubernetesObject) => volume.persistentVolumeClaim ?? []);
      const hasClaims = claims.every(({ claimName }: KubernetesObject) =>
        this.#api.get('persistentvolumeclaims', claimName),
      );
      if (this.#container !== undefined || !isBound || !hasClaims || environment === undefined) continue;
      this.#start(spec, environment);
      this.#probe(deployment).catch((error: Error) => {
        if (error.name !== 'AbortError') throw error;
      });
    }
  }

  /** Undefined as long as a map or a secret is missing. */
  #environmentOf({ containers, enableServiceLinks = true }: KubernetesObject): NodeJS.ProcessEnv | undefined {
    const [container] = containers;
    assert.equal(container.env, undefined, 'this node knows envFrom alone');
    const environment = enableServiceLinks ? serviceVariables(this.#api.list('services')) : {};
    for (const { configMapRef, secretRef } of container.envFrom) {
      const source = configMapRef
        ? this.#api.get('configmaps', configMapRef.name)?.data
        : decoded(this.#api.get('secrets', secretRef.name)?.data);
      if (source === undefined) return undefined;
      Object.assign(environment, source);
    }
    return environment;
  }

  #start(spec: KubernetesObject, environment: NodeJS.ProcessEnv): void {
    const [container] = spec.containers;
    this.#container = spawnBound('unshare', ['--mount', 'sh', '-euc', this.#script(spec, container)], {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...compileCache, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#container.stdout!, this.#container.stderr!])
      eachLine(stream, (line) => this.#log.push(line));
    this.#exit = once(this.#container, 'exit').then(([code, signal]) => {
      this.#log.push(`the container has ended: ${code ?? signal}`);
      if (!this.#ended.signal.aborted) this.#failed.abort();
      return code;
    });
  }

  /** The mounts and the rights of the container, in a mount namespace of its own, and then the server. */
  #script(spec: KubernetesObject, container: KubernetesObject): string {
    const { runAsUser, runAsGroup, fsGroup } = spec.securityContext;
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
    const mounts = container.volumeMounts.map(({ name, mountPath }: KubernetesObject) => {
      const source = join(this.#directory, name);
      mkdirSync(source);
      // As kubelets do for a volume with fsGroup: it stays root's, and its group may write.
      if (fsGroup !== undefined) {
        chownSync(source, 0, fsGroup);
        chmodSync(source, 0o2775);
      }
      return `mount_volume '${source}' '${mountPath}'`;
    });
    const rights = [
      `--reuid=${runAsUser} --regid=${runAsGroup} --pdeathsig=KILL`,
      fsGroup === undefined ? '--clear-groups' : `--groups=${fsGroup}`,
      ...(allowPrivilegeEscalation === false ? ['--no-new-privs'] : []),
      ...(capabilities.drop.includes('ALL') ? ['--bounding-set=-all --inh-caps=-all'] : []),
    ];
    const inPod = (path: string) => (path.startsWith(root) ? join(clone, path.slice(root.length)) : path);
    return `mount_volume() {
  [ -d "$2" ] || { mount -t tmpfs none "$(dirname "$2")"; mkdir "$2"; }
  mount --bind "$1" "$2"
}
mount --bind '${root}' ${clone}
mount -o remount,bind,ro ${clone}
${mounts.join('\n')}
${readOnlyRootFilesystem ? 'mount -o remount,bind,ro /' : ''}
cd /
exec setpriv ${rights.join(' ')} -- '${inPod(process.execPath)}' '${inPod(serverMain)}' start`;
  }

  /** Asks the probes of the container, and writes into the status of its deployment what they say. */
  async #probe(deployment: KubernetesObject): Promise<void> {
    const [container] = deployment.spec.template.spec.containers;
    this.#report(deployment, false);
    if (await this.#passes(container, container.startupProbe)) {
      while (!(await this.#passes(container, container.readinessProbe)));
      this.#report(deployment, true);
    } else this.#container?.kill('SIGKILL');
  }

  /** Whether a probe succeeds before it has failed too often. */
  async #passes(container: KubernetesObject, given: KubernetesObject): Promise<boolean> {
    const { httpGet, periodSeconds, timeoutSeconds, failureThreshold }: KubernetesObject = {
      ...defaultProbe,
      ...given,
    };
    const url = `http://${this.#address}:${portOf(container, httpGet.port)}${httpGet.path}`;
    for (let failures = 0; failures < failureThreshold; failures++) {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
      const answer = await fetch(url, { signal }).catch(() => undefined);
      if (answer?.ok) return true;
      await wait(periodSeconds * 1000, undefined, { signal: this.#ended.signal });
    }
    return false;
  }

  #report({ metadata }: KubernetesObject, isAvailable: boolean): void {
    const { name, generation } = metadata;
    const count = isAvailable ? { availableReplicas: 1, readyReplicas: 1 } : { unavailableReplicas: 1 };
    const condition = { type: 'Available', status: isAvailable ? 'True' : 'False' };
    const status = { observedGeneration: generation, replicas: 1, ...count, conditions: [condition] };
    this.#api.patch('deployments', name, {
      status: { ...status, ...(isAvailable ? { unavailableReplicas: null } : {}) },
    });
  }
}

/** The variables of services, as kubelets write them (pkg/kubelet/envvars). */
function serviceVariables(services: readonly KubernetesObject[]): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const { metadata, spec } of services) {
    const prefix = metadata.name.toUpperCase().replaceAll('-', '_');
    const [first] = spec.ports;
    environment[`${prefix}_SERVICE_HOST`] = clusterAddress;
    environment[`${prefix}_SERVICE_PORT`] = `${first.port}`;
    environment[`${prefix}_PORT`] = urlOf(first);
    for (const each of spec.ports) {
      const { name, port, protocol = 'TCP' } = each;
      if (name !== undefined)
        environment[`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`] = `${port}`;
      const portPrefix = `${prefix}_PORT_${port}_${protocol}`;
      environment[portPrefix] = urlOf(each);
      environment[`${portPrefix}_PROTO`] = protocol.toLowerCase();
      environment[`${portPrefix}_PORT`] = `${port}`;
      environment[`${portPrefix}_ADDR`] = clusterAddress;
    }
  }
  return environment;
}

function urlOf({ port, protocol = 'TCP' }: KubernetesObject): string {
  return `${protocol.toLowerCase()}://${clusterAddress}:${port}`;
}

function hasLabels(labels: KubernetesObject = {}, selected: KubernetesObject = {}): boolean {
  return Object.entries(selected).every(([name, value]) => labels[name] === value);
}

function decoded(data: Readonly<Record<string, string>> | undefined): NodeJS.ProcessEnv | undefined {
  if (data === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
  );
}

/** A port of a container, by its name or its number. */
function portOf({ ports }: KubernetesObject, port: string | number): number {
  const named = ports.find(({ name, containerPort }: KubernetesObject) =>
    [name, containerPort].includes(port),
  );
  return named?.containerPort ?? assert.fail(`the container has no port ${port}`);
}
