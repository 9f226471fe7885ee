import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Admission } from '../admission/admission.ts';
import { offer, phoneAt, soon, edgeWorld as world } from '../testing/edge-world.ts';

describe('the leg of an external caller', () => {
  const caller = 'sip:ext@elsewhere.example';
  const admission: Admission = {
    admit: async () => ({ ok: true, account: 'MA1', endpoint: '', user: '', external: caller }),
  };

  it('is offered with the URI of its caller, and reported as answered only after its ACK', async () => {
    const w = await world({ admission });
    w.edge.telephony.listen((notice) => {
      w.notices.push(notice);
      if (notice.type === 'leg-offered') w.edge.telephony.answer(notice.leg);
    });
    const types: (readonly string[])[] = [];
    const call = w.call({}, { answered: () => void types.push(w.types()) });
    await w.clock.advance(soon);
    const [offered] = w.notices;
    assert.ok(offered?.type === 'leg-offered');
    assert.deepEqual([offered.from, offered.endpoint, offered.to], [caller, '', 'bob']);
    assert.deepEqual(types, [['leg-offered']], 'the 200 has come, and no audio runs');
    assert.deepEqual(w.types(), ['leg-offered', 'leg-answered']);
    call.hangUp();
    await w.leavesNothing();
  });

  it('gets audio only at the source of its signalling, whatever its description says, and only after the answer', async () => {
    const w = await world({ admission });
    const connected: string[] = [];
    w.media.legs.connect = (_leg, { address }) => void connected.push(address);
    let leg = '';
    w.edge.telephony.listen((notice) => {
      if (notice.type !== 'leg-offered') return;
      leg = notice.leg;
      w.edge.telephony.openEarly(leg);
    });
    const call = w.call({
      content: { body: offer.replaceAll('10.0.0.2', '198.51.100.1'), contentType: 'application/sdp' },
    });
    await w.clock.advance(soon);
    assert.deepEqual(connected, [], 'early media');
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    assert.deepEqual(connected, [phoneAt.address]);
    call.hangUp();
    await w.clock.advance(70_000);
  });

  it('has its own host in From to a registered phone, and our domain to every other target', async () => {
    const w = await world();
    w.dial({ targets: [{ uri: `sip:bob@${phoneAt.address}`, flow: 'gone' }] }, { from: caller });
    w.dial({ leg: 'leg-2' }, { from: caller });
    await w.clock.advance(soon);
    const from = w.invites.map(({ request }) => request.headers.get('From')?.replace(/;tag=.*/, ''));
    assert.deepEqual(from.toSorted(), ['<sip:ext@elsewhere.example>', '<sip:ext@sip.example.com>']);
    for (const invite of w.invites) invite.reject(486);
    await w.leavesNothing();
  });
});
