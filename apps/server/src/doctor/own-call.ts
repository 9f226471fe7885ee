import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@jackfield/adapters/logger';
import { createAccountApi, type Json } from '../command-line/account-api.ts';
import { loadConfig } from '../config.ts';
import { startEmbedded } from '../embedded.ts';
import { type Finding, fault, reasonOf, sound } from './finding.ts';

const subject = 'a call to itself';
/** The phone of the sandbox that plays a tone: docs/guides/sandbox.md. */
const tonePhone = '+12025550109';
const toneHz = 1_000;
const callSeconds = 3;
const endMs = 30_000;
/** Energy of the tone in that of the whole recording; connecting takes a part of it. */
const leastShare = 0.4;

/**
 * Starts a sandbox in a directory of its own, has one of its phones call another one over SIP and RTP of this machine, and looks for the tone of
 * the one in what the other has heard.
 */
export async function examineOwnCall(rtpPorts: string): Promise<Finding> {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-doctor-'));
  try {
    const share = await heardShare(directory, rtpPorts);
    return share >= leastShare
      ? sound(subject, `the tone of the other phone was heard (${Math.round(share * 100)} % of the sound)`)
      : fault(
          subject,
          `the tone of the other phone was not heard (${Math.round(share * 100)} % of the sound): allow UDP from 127.0.0.1 to its ports ${rtpPorts} in the firewall of this machine`,
        );
  } catch (error) {
    const advice = 'free what it names, or give other ports with --ports';
    return fault(subject, `it could not be made (${reasonOf(error)}): ${advice}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function heardShare(directory: string, rtpPorts: string): Promise<number> {
  const env = {
    JACKFIELD_SANDBOX: 'true',
    JACKFIELD_DATA_DIR: directory,
    JACKFIELD_HTTP_PORT: '0',
    JACKFIELD_SIP_PORT: '0',
    JACKFIELD_RTP_PORTS: rtpPorts,
    JACKFIELD_WEBRTC_PORT: 'off',
  };
  const loaded = loadConfig({ env, mode: 'dev' });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ sentence }) => sentence).join(' '));
  let died: Error | undefined;
  const embedded = await startEmbedded({
    config: loaded.config,
    log: createLogger({ level: 'error' }),
    onFatal: (error) => {
      died = error;
    },
  });
  const document = createServer((_, response) =>
    response.end(`<Response><Dial><Number>${tonePhone}</Number></Dial></Response>`),
  );
  try {
    await new Promise<void>((resolve) => document.listen(0, '127.0.0.1', resolve));
    const { host, port } = embedded.http;
    const url = `http://${host}:${port}`;
    const api = createAccountApi({ ...embedded.platform.account, url, from: 'the sandbox' });
    const answerUrl = `http://127.0.0.1:${(document.address() as AddressInfo).port}/`;
    const application = { app_name: 'doctor', answer_url: answerUrl };
    const { app_id: to } = await api.request('POST', 'Application/', application);
    const order = { to, behaviour: 'silent', hangup_after: callSeconds };
    const { sandbox_call_uuid: call } = await api.request('POST', 'Sandbox/Call/', order);
    const path = `Sandbox/Call/${String(call)}/`;
    for (const end = Date.now() + endMs; ; ) {
      const state: Json = await api.request('GET', path);
      if (state.recording === 'complete') break;
      if (died !== undefined) throw died;
      if (Date.now() > end) throw new Error(`the call is ${String(state.state)} after ${endMs / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return shareOfTone(await api.download(`${path}Recording/`));
  } finally {
    document.close().closeAllConnections();
    await embedded.drain(0);
    await embedded.close();
  }
}

/** How much of the energy of a WAV file with one channel lies at the tone (Goertzel over 20 ms each). */
function shareOfTone(wav: Buffer): number {
  const sampleRate = wav.readUInt32LE(24);
  const begin = wav.indexOf('data', 12, 'latin1') + 8;
  const window = sampleRate / 50;
  const factor = 2 * Math.cos((2 * Math.PI * toneHz) / sampleRate);
  let tone = 0;
  let all = 0;
  for (let at = begin; at + window * 2 <= wav.length; at += window * 2) {
    let [before, last] = [0, 0];
    for (let n = 0; n < window; n++) {
      const sample = wav.readInt16LE(at + n * 2);
      all += sample * sample;
      [before, last] = [last, sample + factor * last - before];
    }
    tone += ((before * before + last * last - factor * before * last) * 2) / window;
  }
  return all === 0 ? 0 : tone / all;
}
