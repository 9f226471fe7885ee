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
import { createWatermark } from './watermark.ts';

const subject = 'a call to itself';
const markPath = '/watermark.wav';
/** The phone of the sandbox that answers at once and echoes: docs/guides/sandbox.md. */
const echoPhone = '+12025550100';
const callSeconds = 6;
const endMs = 30_000;
/** Of the tones of the watermark: lost packets cost some. */
const leastShare = 0.75;

/**
 * Starts a sandbox in a directory of its own. One of its phones calls another one over SIP and RTP of this machine. A watermark is played to
 * the second, which echoes it: the recording of the first must have it.
 */
export async function examineOwnCall(rtpPorts: string): Promise<Finding> {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-doctor-'));
  try {
    const share = await heardShare(directory, rtpPorts);
    const percent = Math.round(share * 100);
    return share >= leastShare
      ? sound(subject, `the watermark that its other phone echoed was heard (${percent} % of its tones)`)
      : fault(
          subject,
          `the watermark that its other phone echoed was not heard (${percent} % of its tones): allow UDP from 127.0.0.1 to its ports ${rtpPorts} in the firewall of this machine`,
        );
  } catch (error) {
    const advice = 'free what it names, or give other ports with --ports';
    // The user wrote the option; the variable is set for this one call.
    const reason = reasonOf(error).replaceAll('JACKFIELD_RTP_PORTS', '--ports');
    return fault(subject, `it could not be made (${reason}): ${advice}`);
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
    // Each worker gets an equal part of the ports, and one carries the call.
    JACKFIELD_MEDIA_WORKERS: '1',
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
  const watermark = createWatermark();
  const call = Promise.withResolvers<string>();
  const program = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === markPath) response.setHeader('content-type', 'audio/wav').end(watermark.wav);
    else {
      call.resolve(searchParams.get('CallUUID') ?? '');
      response.end(`<Response><Dial><Number>${echoPhone}</Number></Dial></Response>`);
    }
  });
  try {
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    const { host, port } = embedded.http;
    const url = `http://${host}:${port}`;
    const api = createAccountApi({ ...embedded.platform.account, url, from: 'the sandbox' });
    const answerUrl = `http://127.0.0.1:${(program.address() as AddressInfo).port}/`;
    const application = { app_name: 'doctor', answer_url: answerUrl, answer_method: 'GET' };
    const { app_id: to } = await api.request('POST', 'Application/', application);
    const order = { to, behaviour: 'silent', hangup_after: callSeconds };
    const { sandbox_call_uuid: phoneCall } = await api.request('POST', 'Sandbox/Call/', order);
    const path = `Sandbox/Call/${String(phoneCall)}/`;
    const mark = { urls: new URL(markPath, answerUrl).href, legs: 'bleg' };
    let isPlayed = false;
    for (const end = Date.now() + endMs; ; ) {
      const state: Json = await api.request('GET', path);
      if (state.recording === 'complete') break;
      // The other phone may not have answered yet.
      if (!isPlayed && state.state === 'answered')
        isPlayed = await api.request('POST', `Call/${await call.promise}/Play/`, mark).then(
          () => true,
          () => false,
        );
      if (died !== undefined) throw died;
      if (Date.now() > end) throw new Error(`the call is ${String(state.state)} after ${endMs / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return watermark.shareIn(await api.download(`${path}Recording/`));
  } finally {
    program.close().closeAllConnections();
    await embedded.drain(0);
    await embedded.close();
  }
}
