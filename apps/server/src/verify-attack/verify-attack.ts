import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySendLimits } from '@jackfield/platform';
import type { Logger } from '@jackfield/ports';
import { loadConfig } from '../config.ts';
import { startEmbedded } from '../embedded.ts';
import { StartFailure } from '../start-failure.ts';
import { bruteForce } from './brute-force.ts';
import { enumeration } from './enumeration.ts';
import { pumping } from './pumping.ts';
import { replay } from './replay.ts';
import { type Finding, printReport } from './report.ts';
import { readSettings } from './settings.ts';
import { createTarget, type Target, type TargetOptions } from './target.ts';

export interface AttackOptions {
  /** A running platform in its sandbox; when absent, one is started in memory for this run alone. */
  readonly target?: TargetOptions;
  /** Settings of the app of the started platform, as `Verify/App/` accepts them. */
  readonly app?: Readonly<Record<string, unknown>>;
  readonly sessions: number;
  readonly messages: number;
  /** Price of one message. */
  readonly price: number;
  readonly progress: (sentence: string) => void;
}

export interface AttackReport {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/**
 * The variables that an attack keeps, which say how this machine carries audio. All others are its own or unset: it touches no data, sends
 * no real message, and reaches no server that the operator has named.
 */
const keptVariables = ['JACKFIELD_RTP_PORTS', 'JACKFIELD_MEDIA_WORKERS', 'JACKFIELD_MEDIA_PRIORITY'];

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Attacks the verification of a platform in its sandbox by brute force, replay, enumeration and pumping. */
export async function attackVerification(
  options: AttackOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AttackReport> {
  if (options.target !== undefined) return attack(createTarget(options.target), options);
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-attack-'));
  try {
    const loaded = loadConfig({
      env: {
        ...Object.fromEntries(keptVariables.map((name) => [name, env[name]])),
        JACKFIELD_SANDBOX: 'true',
        JACKFIELD_DATA_DIR: directory,
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_SIP_HOST: '127.0.0.1',
        JACKFIELD_SIP_PORT: '0',
        JACKFIELD_WEBRTC_PORT: 'off',
      },
      mode: 'dev',
    });
    if (!loaded.ok) {
      throw new StartFailure(loaded.problems.map(({ sentence }) => sentence).join('\n'), undefined);
    }
    const embedded = await startEmbedded({
      config: loaded.config,
      log: silent,
      onFatal: (error) => {
        throw error;
      },
      // The API's own limits would only prolong the attack.
      httpLimits: { requests: 1_000_000 },
    });
    try {
      const { host, port } = embedded.http;
      const { authId, authToken } = embedded.platform.account;
      const target = createTarget({ url: `http://${host}:${port}`, authId, authToken });
      await changeApp(target, options.app ?? {});
      return await attack(target, options);
    } finally {
      await embedded.drain(0);
      await embedded.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function changeApp(target: Target, settings: Readonly<Record<string, unknown>>): Promise<void> {
  if (Object.keys(settings).length === 0) return;
  const { body } = await target.request('GET', 'Verify/App/');
  const [app] = body.objects as readonly { readonly app_uuid: string }[];
  const changed = await target.request('POST', `Verify/App/${app?.app_uuid}/`, settings);
  if (changed.status >= 300) throw new StartFailure(String(changed.body.error), undefined);
}

async function attack(target: Target, options: AttackOptions): Promise<AttackReport> {
  const { sessions, messages, price, progress } = options;
  const inbox = await target.request('GET', 'Sandbox/Message/');
  if (inbox.status === 401) throw new StartFailure('the account or its token is wrong', undefined);
  if (inbox.status !== 200) {
    throw new StartFailure('only a platform in its sandbox is attacked: this one has no inbox', undefined);
  }
  const limits = {
    sendsPerHour: perHour(verifySendLimits.recipient),
    accountSendsPerHour: perHour(verifySendLimits.account),
  };
  const settings = await readSettings(target, limits, options.target?.appUuid);
  const findings: Finding[] = [];
  progress('brute force');
  findings.push(...(await bruteForce(target, settings, sessions)));
  progress('replay');
  findings.push(...(await replay(target)));
  progress('enumeration');
  findings.push(...(await enumeration(target)));
  progress('pumping');
  findings.push(...(await pumping(target, settings, messages, price)));
  return { text: printReport(settings, findings), findings };
}

function perHour({ count, seconds }: { readonly count: number; readonly seconds: number }): number {
  return Math.floor((count * 3600) / seconds);
}
