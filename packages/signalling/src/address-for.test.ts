import assert from 'node:assert/strict';
import { it } from 'node:test';
import { peerOf } from './address-for.ts';
import { edgeAt, edgeWorld, offer, phoneAt, soon } from './testing/edge-world.ts';

/** The edge has one address for the network of the phone, and another for every other network. */
const inner = edgeAt.address;
const addressFor = (peer: string | undefined) => (peer === phoneAt.address ? inner : '198.51.100.7');

it('An INVITE to a phone has the address for its network in Via, Contact and SDP', async () => {
  const world = await edgeWorld({ addressFor });
  world.dial();
  await world.clock.advance(soon);
  const { request } = world.invites[0]!;
  assert.match(request.headers.get('Via')!, new RegExp(`UDP ${inner}:5060`));
  assert.match(request.headers.get('Contact')!, new RegExp(`<sip:${inner}:5060>`));
  assert.match(request.body, new RegExp(`c=IN IP4 ${inner}\r\n`));
  world.invites[0]!.accept({ body: offer, contentType: 'application/sdp' });
  await world.clock.advance(soon);
  world.edge.telephony.hangUp('leg-1');
  await world.leavesNothing();
});

it('An answer to a phone of another network has the address for all others', async () => {
  const elsewhere = { address: '203.0.113.9', port: 5060 };
  const world = await edgeWorld({ addressFor }, { at: elsewhere });
  let answer = '';
  world.call(
    {},
    {
      answered(response) {
        answer = `${response.headers.get('Contact')}\r\n${response.body}`;
      },
    },
  );
  await world.clock.advance(soon);
  const [offered] = world.notices;
  assert.equal(offered?.type, 'leg-offered');
  world.edge.telephony.answer(offered!.leg);
  await world.clock.advance(soon);
  assert.match(answer, /^<sip:198\.51\.100\.7:5060>\r\n/);
  assert.match(answer, /c=IN IP4 198\.51\.100\.7\r\n/);
  world.edge.telephony.hangUp(offered!.leg);
  await world.leavesNothing();
});

it('The peer of a target is the other end of its flow, else its first proxy, else the host of its URI', () => {
  const remoteAddressOf = (flow: string) => (flow === 'open' ? '203.0.113.1' : undefined);
  const uri = 'sip:bob@[2001:db8::9]:5061';
  const path = ['<sip:192.0.2.4;lr>'];
  assert.equal(peerOf({ uri, path, flow: 'open' }, remoteAddressOf), '203.0.113.1');
  assert.equal(peerOf({ uri, path, flow: 'closed' }, remoteAddressOf), '192.0.2.4');
  assert.equal(peerOf({ uri }, remoteAddressOf), '2001:db8::9');
  assert.equal(peerOf(undefined, remoteAddressOf), undefined);
});
