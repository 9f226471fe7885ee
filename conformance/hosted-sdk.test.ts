import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { pointPlivoSdkAt } from '@jackfield/hosted-sdk';
import { Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types leave most of it untyped
const plivo: any = createRequire(import.meta.url)('plivo');

describe("Plivo's Node SDK, pointed at a sandbox", { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let program: Server;
  let programUrl = '';
  const requests = new Happenings<{ readonly url: string; readonly isSigned: boolean }>();
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let client: any;

  before(async () => {
    platform = await PlatformProcess.start();
    pointPlivoSdkAt(platform.httpUrl);
    client = new plivo.Client(platform.authId, platform.authToken);
    program = createServer((request, response) => {
      let form = '';
      request.on('data', (piece) => (form += String(piece)));
      request.on('end', () => {
        const header = (name: string) => String(request.headers[`x-plivo-signature-${name}`]);
        const fields = Object.fromEntries(new URLSearchParams(form));
        const isSigned = plivo.validateV3Signature(
          'POST',
          `${programUrl}${request.url}`,
          header('v3-nonce'),
          platform.authToken,
          header('v3'),
          fields,
        );
        requests.add({ url: `${request.url} ${fields.Event ?? fields.EventName}`, isSigned });
        const document = new plivo.Response();
        // The sandbox phone presses its key after 2 s, and a busy machine speaks later: the prompt takes keys.
        document.addGetDigits({ action: `${programUrl}/digits`, numDigits: '1' }).addSpeak('Good morning.');
        response.end(document.toXML());
      });
    });
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    programUrl = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
  });

  after(async () => {
    program.close().closeAllConnections();
    await platform.stop();
  });

  it('creates, changes and deletes an application and an endpoint', async () => {
    const { appId } = await client.applications.create('sdk', { answerUrl: `${programUrl}/answer` });
    const { endpointId } = await client.endpoints.create('sdk', 'a-good-password', 'sdk', appId);
    await client.endpoints.update(endpointId, { alias: 'renamed' });
    assert.equal((await client.endpoints.get(endpointId)).alias, 'renamed');
    await client.endpoints.delete(endpointId);
    await client.applications.delete(appId, { cascade: false });
    assert.deepEqual([...(await client.endpoints.list())], []);
  });

  it('calls a phone, whose call is run by a document of the XML helper; its requests are signed', async () => {
    const { requestUuid } = await client.calls.create(
      '+12025550000',
      '+12025550106',
      `${programUrl}/answer`,
      {
        hangupUrl: `${programUrl}/ended`,
      },
    );
    await requests.until('the document', ({ url }) => url === '/answer StartApp');
    await requests.until('the digit', ({ url }) => url === '/digits Redirect');
    assert.equal((await client.calls.getLiveCall(requestUuid)).callUuid, requestUuid);
    await client.calls.hangup(requestUuid);
    await requests.until('the end', ({ url }) => url === '/ended Hangup');
    assert.ok(requests.all.every(({ isSigned }) => isSigned));
  });

  it('puts two phones into a multiparty call whose events go to a local URL, and ends it', async () => {
    const room = () => ({ friendlyName: 'sdk' });
    const add = (role: string, to: string) =>
      client.multiPartyCalls.addParticipant(role, {
        ...room(),
        from: '+12025550000',
        to,
        statusCallbackUrl: `${programUrl}/room`,
        statusCallbackMethod: 'POST',
      });
    await add('agent', '+12025550101');
    await add('customer', '+12025550100');
    await requests.until('the start', ({ url }) => url === '/room MPCStart');
    const participants = await client.multiPartyCalls.listParticipants(room());
    assert.equal(participants.objects.length, 2);
    await client.multiPartyCalls.stop(room());
    await requests.until('the end', ({ url }) => url === '/room MPCEnd');
  });

  it('sends and checks a one-time code', async () => {
    const { sessionUuid } = await client.verify_session.create({ recipient: '+14155552671' });
    const { objects } = await platform.until(
      'the message',
      'Sandbox/Message/?to=%2B14155552671',
      (body) => body.objects.length > 0,
    );
    const [code] = /\d{6}/.exec(objects[0].text) ?? [];
    const { message } = await client.verify_session.validate({ id: sessionUuid, otp: code });
    assert.match(message, /validated successfully/);
  });

  it('asked for what a Jackfield has not, is answered by it with 404', async () => {
    await assert.rejects(client.lookup.get('+14155552671'), /there is nothing at this path/);
    await assert.rejects(
      client.callFeedback.create('7a0fa1e0-0000-0000-0000-000000000000', 5),
      /there is nothing at this path/,
    );
  });
});
