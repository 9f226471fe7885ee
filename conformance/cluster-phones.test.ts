import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import type { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { heardUntil, lengthOf, loudestToneDb, partOf, readWav, type Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { joinedRoom } from './support/multiparty-rooms.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { type RegisteredPhone, RegisteredPhones } from './support/registered-phones.ts';
import { Sipp } from './support/sipp.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('baresip', 'sipp', 'sox');

/** A phone's own tone at −12 dBFS arrives about as loud. */
const audible = -20;
const toneLengthS = 0.5;
const overTcp = { transport: 'tcp' } as const;

/** Real processes, and real phones: over TCP a phone can be called through its own connection alone. */
describe('phones that are connected to different nodes', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let one: PlatformProcess;
  let two: PlatformProcess;
  let phones: RegisteredPhones;

  before(async () => {
    cluster = await Cluster.start();
    [one, two] = await Promise.all([cluster.join('one'), cluster.join('two')]);
    phones = new RegisteredPhones();
  });
  after(() =>
    cleanUp(
      () => phones?.stop(),
      () => cluster?.stop(),
    ),
  );

  const sessions = async (node: PlatformProcess, kind: string) =>
    (await node.metrics('jackfield_sessions'))[`jackfield_sessions{kind="${kind}"}`];

  const lastSeconds = (sound: Sound, seconds: number): Sound => {
    const end = lengthOf(sound);
    return partOf(sound, Math.max(0, end - seconds), end);
  };

  const tones = { agent: 440, customer: 700, supervisor: 1200 } as const;
  const roles = ['agent', 'customer', 'supervisor'] as const;

  /** The phone of each role, connected to node one, whose document joins from that node: the multiparty call lives where its first member joins. */
  async function join(room: string, nodes: Readonly<Record<(typeof roles)[number], PlatformProcess>>) {
    const joined: { node: PlatformProcess; phone: BaresipPhone; uuid: string }[] = [];
    for (const role of roles) {
      const { phone, username } = await phones.start(one, `${role}${room}`, tones[role], overTcp);
      const sounds = 'enterSound="none" exitSound="none" stayAlone="true"';
      const coach = role === 'supervisor' ? 'coachMode="true"' : '';
      const answer_url = cluster.customer.serve(
        `/join-${room}-${role}`,
        `<Response><MultiPartyCall role="${role}" ${coach} ${sounds}>${room}</MultiPartyCall><Redirect>http://127.0.0.1:${cluster.customer.port}/behind</Redirect></Response>`,
      );
      const call = { from: '+12025550000', to: username, answer_url };
      const { status, body } = await nodes[role].api('POST', 'Call/', call);
      assert.equal(status, 201, JSON.stringify(body));
      await joinedRoom(one, room, joined.length + 1);
      joined.push({ node: nodes[role], phone, uuid: body.request_uuid });
    }
    cluster.customer.serve('/behind', '<Response><Hangup/></Response>');
    return joined;
  }

  const rolesHeardBy = async (phone: BaresipPhone) => {
    const sound = await readWav(await phone.heard());
    return roles.filter((role) => loudestToneDb(sound, tones[role], toneLengthS) > audible);
  };

  /** Resolves when the phone has heard so many others: the files of what phones hear grow while they call. */
  async function heardOthers(count: number, phone: BaresipPhone): Promise<void> {
    while ((await rolesHeardBy(phone).catch(() => [])).length < count)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** What the phones of agent, customer and supervisor hear in a call in which both nodes have members. */
  const coached = [['customer', 'supervisor'], ['agent'], ['agent', 'customer']];

  it('documents of both nodes join one multiparty call: its agent alone hears the coach, whose node is another one', async () => {
    const joined = await join('desk', { agent: one, customer: two, supervisor: two });
    assert.deepEqual([await sessions(one, 'remote-leg'), await sessions(two, 'media-link')], [2, 2]);
    const [agent, customer, coach] = joined.map(({ phone }) => phone);
    await Promise.all([heardOthers(2, agent!), heardOthers(1, customer!), heardOthers(2, coach!)]);
    assert.equal((await two.api('DELETE', 'MultiPartyCall/name_desk/')).status, 204);
    await Promise.all(joined.map(({ phone }) => phone.closed()));
    assert.deepEqual(await Promise.all(joined.map(({ phone }) => rolesHeardBy(phone))), coached);
    for (const { node, uuid } of joined) {
      const ended = await node.until('its end', `Call/${uuid}/`, ({ end_time }) => Boolean(end_time));
      assert.equal(ended.hangup_source, 'Answer XML', JSON.stringify(ended));
    }
    await Promise.all([one.untilQuiet(40_000), two.untilQuiet(40_000)]);
  });

  it('a coach whose node is killed leaves and is hung up; the others go on, and the customer has never heard it', async () => {
    const joined = await join('floor', { agent: one, customer: one, supervisor: two });
    const [agent, customer, coach] = joined.map(({ phone }) => phone);
    await Promise.all([heardOthers(2, agent!), heardOthers(2, coach!)]);
    await cluster.kill(two);
    await coach!.closed();
    await joinedRoom(one, 'floor', 2);
    const enough = lengthOf(await readWav(await customer!.heard())) + 2;
    const hearsAgent = (sound: Sound) =>
      loudestToneDb(lastSeconds(sound, 1), tones.agent, toneLengthS) > audible;
    await heardUntil(
      customer!,
      'the agent, two seconds later',
      (sound) => lengthOf(sound) >= enough && hearsAgent(sound),
    );
    assert.deepEqual(await Promise.all([agent!, customer!, coach!].map(rolesHeardBy)), coached);
    assert.equal((await one.api('DELETE', 'MultiPartyCall/name_floor/')).status, 204);
    await Promise.all([agent!.closed(), customer!.closed()]);
    await one.untilQuiet(40_000);
    two = await cluster.join('three');
  });

  it('a phone joins the other parties of its calls at two nodes, which hear each other', async () => {
    const bob = await phones.start(one, 'transferred', 700, overTcp);
    const cid = await phones.start(two, 'consulted', 1200, overTcp);
    const password = 'secret-of-transferor';
    const { username: user } = await one.createEndpoint('transferor', password);
    const phone = { user, password };
    const [first, second] = [one, two].map(({ sipAddress: remote }) => ({ ...phone, remote }));
    const waiting = await Sipp.start({
      ...first!,
      scenario: 'call-waiting-for-the-end',
      callId: 'call-at-one',
      keys: { callee: bob.username },
    });
    const [, tags] = await waiting.logged(/dialog (\S+)/);
    const replaces = encodeURIComponent(`call-at-one;${tags}`);
    const keys = { callee: cid.username, replaces };
    const joining = await Sipp.start({ ...second!, scenario: 'call-refer-other-call', keys });
    try {
      for (const sipp of [waiting, joining]) assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
      await joining.logged(/notified SIP\/2\.0 200\n/);
      const links = [await sessions(one, 'remote-leg'), await sessions(two, 'remote-leg')];
      assert.deepEqual(links.sort(), [0, 1]);
      const hears = async ({ phone: listener }: RegisteredPhone, hz: number) =>
        loudestToneDb(await readWav(await listener.heard()), hz, toneLengthS) > audible;
      // The files of what phones hear grow while they call.
      for (const [listener, hz] of [
        [bob, 1200],
        [cid, 700],
      ] as const)
        while (!(await hears(listener, hz).catch(() => false)))
          await new Promise((resolve) => setTimeout(resolve, 50));
      bob.phone.hangUp();
      await Promise.all([bob.phone.closed(), cid.phone.closed()]);
    } finally {
      await Promise.all([waiting.stop(), joining.stop()]);
    }
    await Promise.all([one.untilQuiet(40_000), two.untilQuiet(40_000)]);
  });

  it('one calls the other, and the call goes on with its audio when the node of the called one is killed', async () => {
    const ann = await phones.start(one, 'ann', 440, overTcp);
    const bob = await phones.start(two, 'bob', 700, overTcp);
    ann.phone.dial(`sip:${bob.username}@${one.sipAddress};transport=tcp`);
    await Promise.all([ann.phone.established(), bob.phone.established()]);
    const legs = async (node: PlatformProcess) =>
      (await node.metrics('jackfield_sip_legs')).jackfield_sip_legs;
    assert.deepEqual([await legs(one), await legs(two)], [2, 0]);

    // An earlier test has killed a node as well.
    const from = one.log.all.length;
    await cluster.kill(two);
    const isTakeover = ({ message }: Record<string, unknown>) =>
      /left is ended or taken over/.test(String(message));
    await one.log.until('the takeover', isTakeover, { from });
    const { body } = await one.api('GET', 'Call/?status=live');
    assert.equal(body.calls.length, 2);
    const fromS = lengthOf(await readWav(await ann.phone.heard()));
    const heardSince = (sound: Sound) => partOf(sound, fromS, Number.POSITIVE_INFINITY);
    await heardUntil(
      ann.phone,
      'Bob after the death of the node',
      (sound) => loudestToneDb(heardSince(sound), 700, toneLengthS) > audible,
    );
    // Its BYE goes to the home of the call, over a new connection.
    bob.phone.hangUp();
    await Promise.all([ann.phone.closed(), bob.phone.closed()]);
    const bobHeard = await readWav(await bob.phone.heard());
    assert.ok(loudestToneDb(bobHeard, 440, toneLengthS) > audible, 'Bob hears Ann');
    await one.untilQuiet(40_000);
  });
});
