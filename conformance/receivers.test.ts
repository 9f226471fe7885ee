import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Behaviour, CallbackReceiver, type Received } from './support/callback-receiver.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** A receiver that fails for a time, and the settings with which its URL outlasts that. */
const kinds: Readonly<Record<string, { readonly settings: string; readonly behaviour: Behaviour }>> = {
  'works at once': { settings: '', behaviour: () => 200 },
  'answers 500 twice': { settings: '#rc=4&rp=5xx', behaviour: first(2, 500) },
  'says nothing twice': { settings: '#rt=1000&rc=4', behaviour: first(2, 'silence') },
  'closes the connection twice': { settings: '#rc=4', behaviour: first(2, 'cut') },
  'answers in drops': { settings: '#rt=1000&tt=2000', behaviour: () => 'slowly' },
  'is down for a minute': { settings: '#rc=4', behaviour: () => 200 },
};
const downMs = 60_000;
const callsEach = 3;

/**
 * Each receiver gets callbacks of calls that ring and that end: some because the process was killed during them, some afterwards
 * by the API. Each event reaches its receiver in the end, in order, whatever the receivers do.
 */
it('receivers of every kind have each event, in order, through a kill -9 in the middle', {
  timeout: 240_000,
}, async () => {
  const platform = await PlatformProcess.start();
  const documents = await CallbackReceiver.start();
  const answerUrl = documents.serve('/wait', '<Response><Wait length="300" silence="true"/></Response>');
  const receivers = new Map<string, CallbackReceiver>();
  for (const [kind, { behaviour }] of Object.entries(kinds)) {
    const receiver = await CallbackReceiver.start();
    receiver.behaviour = behaviour;
    receivers.set(kind, receiver);
  }
  const down = receivers.get('is down for a minute')!;
  await down.stop();
  const backAt = Date.now() + downMs;

  const callsOf = new Map<string, string[]>([...receivers.keys()].map((kind) => [kind, []]));
  /** The UUID of a new call whose callbacks go to this receiver. */
  const call = async (kind: string): Promise<string> => {
    const url = `http://127.0.0.1:${receivers.get(kind)!.port}`;
    const { settings } = kinds[kind]!;
    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: '+12025550105',
      answer_url: answerUrl,
      ring_url: `${url}/ring${settings}`,
      hangup_url: `${url}/hangup${settings}`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    callsOf.get(kind)!.push(body.request_uuid);
    return body.request_uuid;
  };
  /** Of these calls: where the machine was slow, one of the others was answered before the kill. */
  const reported = (type: string, calls: readonly string[]) =>
    platform.until(`an event ${type} of each`, `Event/?type=${type}&limit=100`, ({ objects }) =>
      calls.every((uuid) =>
        objects.some(({ data }: { data: Record<string, unknown> }) => data.CallUUID === uuid),
      ),
    );

  try {
    for (let n = 0; n < callsEach; n++) for (const kind of receivers.keys()) await call(kind);
    await reported('call.ringing', [...callsOf.values()].flat());
    await platform.killAndRestart();
    const later: string[] = [];
    for (const kind of receivers.keys()) later.push(await call(kind));
    await reported('call.answered', later);
    assert.equal((await platform.api('DELETE', 'Call/')).status, 204);

    await new Promise((resolve) => setTimeout(resolve, Math.max(0, backAt - Date.now())));
    const back = await CallbackReceiver.start(down.port);
    receivers.set('is down for a minute', back);

    for (const [kind, receiver] of receivers) {
      for (const uuid of callsOf.get(kind)!) {
        await receiver.received.until(`${kind}: the end of ${uuid}`, isEndOf(uuid), { limitMs: 100_000 });
        const names = distinct(receiver.received.all.filter(({ fields }) => fields.get('CallUUID') === uuid));
        assert.deepEqual(names, ['Ring', 'Hangup'], kind);
      }
    }
    const left = await platform.until('an empty queue of callbacks', 'Callback/?limit=20', (body) =>
      body.objects.every(({ status }: { status: string }) => status === 'delivered' || status === 'failed'),
    );
    assert.ok(left.objects.length > 0);
  } finally {
    await platform.stop();
    await documents.stop();
    for (const receiver of receivers.values()) await receiver.stop().catch(() => {});
  }
});

function first(count: number, otherwise: 500 | 'silence' | 'cut'): Behaviour {
  return (_received, number) => (number < count ? otherwise : 200);
}

function isEndOf(uuid: string): (received: Received) => boolean {
  return ({ name, fields }) => name === 'Hangup' && fields.get('CallUUID') === uuid;
}

/** Names of the events in the order of their first arrival: a repeated event has the same identifier. */
function distinct(received: readonly Received[]): readonly string[] {
  return [...new Map(received.map(({ eventId, name }) => [eventId, name])).values()];
}
