import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';

const skip = missing('baresip', 'sox');
const password = 'the-right-one';

describe('a phone with a wrong password', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  const phones: BaresipPhone[] = [];

  const stop = () => cleanUp(...phones.splice(0).map((phone) => () => phone.stop()), () => platform?.stop());

  async function phone(username: string, secret: string): Promise<BaresipPhone> {
    const options = { registrar: platform.sipAddress, username, password: secret, toneHz: 440 };
    const started = await BaresipPhone.start(options);
    phones.push(started);
    return started;
  }

  const counted = async (name: string) =>
    (await platform.metrics(`jackfield_sip_${name}`))[`jackfield_sip_${name}`] ?? 0;

  describe('in production', () => {
    before(async () => {
      platform = await PlatformProcess.start({
        JACKFIELD_SANDBOX: 'false',
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_SIP_HOST: '127.0.0.1',
      });
    });

    it('is not banned for repeating it, and registers without a wait once it is right', async () => {
      const { username } = await platform.createEndpoint('alice', password);
      await phone(username, 'the-wrong-one');
      const began = Date.now();
      // baresip repeats its password with each new nonce, and waits for each refusal.
      for (const limit = Date.now() + 60_000; (await counted('failed_logins_total')) < 7; ) {
        assert.ok(Date.now() < limit, `${await counted('failed_logins_total')} failures`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      // The seventh attempt follows refusals that waited for 1, 2 and 4 s; without waits 23 take 6 s, and the 21st bans.
      assert.ok(Date.now() - began > 6_000, `${Date.now() - began} ms`);
      const right = await phone(username, password);
      // It registers from here on: what its program took to start is no wait.
      const asked = Date.now();
      await right.registered();
      assert.ok(Date.now() - asked < 5_000, `${Date.now() - asked} ms`);
      assert.equal(await counted('bans_total'), 0);
    });

    after(stop);
  });

  describe('in the sandbox', () => {
    before(async () => {
      platform = await PlatformProcess.start();
    });

    it('finds in the log and in the event stream which username it should have', async () => {
      const { username } = await platform.createEndpoint('alice', password);
      await (await phone('alice', password)).refused();
      const isReported = ({ message }: Record<string, unknown>) =>
        /"alice" was refused/.test(String(message));
      const line = await platform.log.until('the warning', isReported);
      assert.match(String(line.message), new RegExp(`Did you mean "${username}"`));
      const { objects } = await platform.until(
        'the event',
        'Event/?type=endpoint.login-failed',
        (body) => body.objects.length > 0,
      );
      assert.equal(objects[0].data.source_address, '127.0.0.1');
      assert.deepEqual(objects[0].data.usernames, [username]);
    });

    after(stop);
  });
});
