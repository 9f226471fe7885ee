import assert from 'node:assert/strict';
import type { PlatformProcess } from './platform-process.ts';
import { freePort } from './ports.ts';
import { RtpSocket } from './rtp-socket.ts';
import { Sipp } from './sipp.ts';

/** A phone behind an inbound trunk, to which a number leads. */
export interface TrunkPhone {
  readonly sipp: Sipp;
  /** What it hears, and says. */
  readonly audio: RtpSocket;
}

/** Starts the phone, for one call at most unless `calls` says more; stop `sipp` and close `audio` at the end. */
export async function startTrunkPhone(
  platform: PlatformProcess,
  number: string,
  { timeoutSeconds = 60, calls = 1 }: { readonly timeoutSeconds?: number; readonly calls?: number } = {},
): Promise<TrunkPhone> {
  const audio = await RtpSocket.open();
  const port = await freePort();
  const sipp = await Sipp.start({
    remote: platform.sipAddress,
    scenario: 'trunk-phone',
    user: 'desk',
    password: '',
    port,
    keys: { rtp_port: String(audio.port) },
    timeoutSeconds,
    calls,
  });
  await leadTo(platform, `127.0.0.1:${port}`, [number]);
  return { sipp, audio };
}

/** Leads numbers to the phone at this address, behind an inbound trunk. */
export async function leadTo(
  platform: PlatformProcess,
  address: string,
  numbers: readonly string[],
): Promise<void> {
  const { body: uri } = await platform.api('POST', 'SipTrunk/URI/', { uri: `sip:desk@${address}` });
  const trunk = { trunk_direction: 'inbound', primary_uri_uuid: uri.uri_uuid };
  const { body: inbound } = await platform.api('POST', 'SipTrunk/Trunk/', trunk);
  for (const number of numbers) {
    const made = await platform.api('POST', 'Number/', { number, trunk_id: inbound.trunk_id });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
}
