import assert from 'node:assert/strict';
import { type ExampleId, exampleIds } from '@jackfield/contract';
import type { CallbackReceiver } from './callback-receiver.ts';
import { addToRoom, joinedRoom } from './multiparty-rooms.ts';
import type { PlatformProcess } from './platform-process.ts';

type Ids = Partial<Record<ExampleId, string>>;

/** Creates the resources that the examples of the documentation name: calls, endpoints, trunks and others, new for each example. */
export class OwnResources {
  readonly #platform: PlatformProcess;
  readonly #waiting: string;
  #made = 0;
  readonly #rooms: string[] = [];

  constructor(platform: PlatformProcess, server: CallbackReceiver) {
    this.#platform = platform;
    this.#waiting = server.serve('/waiting', '<Response><Wait length="600"/></Response>');
  }

  /** Identifiers of the account for all that `text` names, as `{call_uuid}` or as the identifier in an example. */
  async idsFor(operationId: string, text: string): Promise<Ids> {
    const names = (name: ExampleId) =>
      text.includes(`{${name}}`) || (name !== 'member_id' && text.includes(exampleIds[name]));
    const ids: Ids = {};
    if (names('mpc')) Object.assign(ids, await this.#room(operationId));
    if (names('call_uuid')) ids.call_uuid = await this.#call();
    if (names('session_uuid')) Object.assign(ids, await this.#session());
    for (const [name, make] of Object.entries(this.#simple)) {
      if (names(name as ExampleId)) ids[name as ExampleId] = await make();
    }
    return ids;
  }

  /** Hangs up all calls. */
  async end(): Promise<void> {
    for (const room of this.#rooms.splice(0))
      await this.#platform.api('DELETE', `MultiPartyCall/name_${room}/`);
    await this.#platform.api('DELETE', 'Call/');
  }

  readonly #simple: Readonly<Partial<Record<ExampleId, () => Promise<string>>>> = {
    subaccount_id: () => this.#create('Subaccount/', { name: 'Branch' }, 'auth_id'),
    app_id: () => this.#create('Application/', { app_name: 'waiting', answer_url: this.#waiting }, 'app_id'),
    endpoint_id: () =>
      this.#create('Endpoint/', { username: 'phone', password: 'of-a-phone', alias: 'phone' }, 'endpoint_id'),
    credential_uuid: () =>
      this.#create(
        'SipTrunk/Credential/',
        { username: this.#new('user'), password: 'of-a-trunk' },
        'credential_uuid',
      ),
    ipacl_uuid: () =>
      this.#create('SipTrunk/IPAccessControlList/', { ip_addresses: ['203.0.113.1'] }, 'ipacl_uuid'),
    uri_uuid: () => this.#create('SipTrunk/URI/', { uri: '203.0.113.1' }, 'uri_uuid'),
    trunk_id: async () => {
      const uri = await this.#create('SipTrunk/URI/', { uri: '203.0.113.1' }, 'uri_uuid');
      const trunk = { trunk_direction: 'inbound', primary_uri_uuid: uri };
      return this.#create('SipTrunk/Trunk/', trunk, 'trunk_id');
    },
    number: () => this.#create('Number/', { number: this.#new('+49301234') }, 'number'),
    // A phone that rings for ever.
    request_uuid: () =>
      this.#create(
        'Call/',
        { from: '+12025550000', to: '+12025550103', answer_url: this.#waiting },
        'request_uuid',
      ),
    app_uuid: () => this.#create('Verify/App/', { alias: 'branch' }, 'app_uuid'),
  };

  #new(beginning: string): string {
    this.#made += 1;
    return `${beginning}${String(this.#made).padStart(4, '0')}`;
  }

  async #create(path: string, request: object, id: string): Promise<string> {
    const { status, body } = await this.#platform.api('POST', path, request);
    assert.ok(status === 201 || status === 202, `${path}: ${JSON.stringify(body)}`);
    return body[id];
  }

  async #call(): Promise<string> {
    const request = { from: '+12025550000', to: '+12025550101', answer_url: this.#waiting };
    const call = await this.#create('Call/', request, 'request_uuid');
    await this.#platform.until(
      'the answer',
      `Call/${call}/?status=live`,
      ({ call_status }) => call_status === 'in-progress',
    );
    return call;
  }

  /** An agent and a supervisor, the member that examples name; the call waits for an example that starts it. */
  async #room(operationId: string): Promise<Ids> {
    const room = this.#new('room');
    this.#rooms.push(room);
    const ids = { mpc: `name_${room}` };
    if (operationId === 'addParticipant') return ids;
    const waits = operationId === 'activateMultipartyCall' ? { start_mpc_on_enter: false } : {};
    await addToRoom(this.#platform, room, '+12025550101', waits);
    if (operationId === 'activateMultipartyCall') return ids;
    await addToRoom(this.#platform, room, '+12025550109', { role: 'supervisor' });
    const { objects } = await joinedRoom(this.#platform, room, 2);
    const supervisor = objects.find(({ role }: { role: string }) => role.toLowerCase() === 'supervisor');
    const path = `MultiPartyCall/name_${room}/Participant/${supervisor.member_id}/Record/`;
    if (/^(pause|resume)Recording/.test(operationId)) {
      await this.#create(path, { record_track_type: 'participant' }, 'recording_id');
      if (operationId.startsWith('resume')) await this.#platform.api('POST', `${path}Pause/`);
    }
    return { ...ids, member_id: supervisor.member_id };
  }

  /** A session and the code of its message. */
  async #session(): Promise<Ids> {
    const recipient = this.#new('+1415555');
    const session_uuid = await this.#create('Verify/Session/', { recipient }, 'session_uuid');
    const messages = await this.#platform.until(
      'the message',
      `Sandbox/Message/?to=${encodeURIComponent(recipient)}`,
      ({ objects }) => objects.length > 0,
    );
    return { session_uuid, otp: /\d{4,8}/.exec(messages.objects[0].text)![0] };
  }
}
