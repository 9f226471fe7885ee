import assert from 'node:assert/strict';
import type { Answer, PlatformProcess } from './platform-process.ts';

/** Dials into a multiparty call without enter and exit sounds that goes on with one participant; returns the call UUIDs. */
export async function addToRoom(
  platform: PlatformProcess,
  room: string,
  to: string,
  more: object = {},
): Promise<readonly string[]> {
  const { status, body } = await platform.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
    role: 'agent',
    from: '+12025550000',
    to,
    stay_alone: true,
    enter_sound: 'none',
    exit_sound: 'none',
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.calls.map((each: { call_uuid: string }) => each.call_uuid);
}

/** Resolves when exactly this number of participants have joined. */
export function joinedRoom(platform: PlatformProcess, room: string, count: number): Promise<Answer['body']> {
  return platform.until(`${count} in the room`, `MultiPartyCall/name_${room}/Participant/`, (body) => {
    const here = (body.objects ?? []).filter((each: { status: string }) => each.status === 'joined');
    return here.length === count;
  });
}
