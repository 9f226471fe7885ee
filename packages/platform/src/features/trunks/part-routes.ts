import {
  addressListBody,
  addressListList,
  addressListPath,
  credentialBody,
  credentialChanges,
  credentialList,
  credentialPath,
  newAddressList,
  newCredential,
  newOriginationUri,
  originationUriBody,
  originationUriList,
  originationUriPath,
  trunkPageQuery,
  writtenAddressList,
  writtenCredential,
  writtenOriginationUri,
} from '@jackfield/contract';
import { type ApiRoute, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import {
  type CommandDeps,
  changeAddressList,
  changeCredential,
  changeOriginationUri,
  createAddressList,
  createCredential,
  createOriginationUri,
} from './commands.ts';
import { removePart, thingOf } from './deletion-commands.ts';
import { readOne, readPage, shownAddressList, shownCredential, shownUri } from './queries.ts';

/** The parts of trunks. `area` is the first word of their paths; `named` makes the title of an operation unique. */
export function credentialRoutes(
  deps: CommandDeps,
  area: string,
  named: (title: string) => string,
): ApiRoute[] {
  const { credentials } = deps.store;
  const path = `${area}/Credential/`;
  const one = `${path}:credential_uuid/`;
  return [
    route({
      method: 'POST',
      path,
      operation: named('Create a trunk credential'),
      description: 'username and password are required: 422 without them.',
      schema: { body: newCredential, response: writtenCredential },
      success: 201,
      async run({ account, body, now }) {
        const created = await createCredential(deps, account, body, now);
        if (!created.ok) return created;
        return accepted({ message: 'credential created successfully.', credential_uuid: created.value });
      },
    }),
    route({
      method: 'GET',
      path,
      operation: named('List trunk credentials'),
      description: 'Newest first.',
      schema: { query: trunkPageQuery, response: credentialList },
      success: 200,
      run: ({ account, query, now }) =>
        readPage(credentials, account, query, path, (row) => shownCredential(row, now)),
    }),
    route({
      method: 'GET',
      path: one,
      operation: named('Retrieve a trunk credential'),
      schema: { params: credentialPath, response: credentialBody },
      success: 200,
      run: ({ account, params, now }) =>
        readOne(credentials, account, params.credential_uuid, thingOf('credentials'), (row) =>
          shownCredential(row, now),
        ),
    }),
    route({
      method: 'POST',
      path: one,
      operation: named('Update a trunk credential'),
      description:
        'A new username keeps the password, a new password the username; password_overlap keeps the old ones valid for a while.',
      schema: { params: credentialPath, body: credentialChanges, response: writtenCredential },
      success: 202,
      async run({ account, params: { credential_uuid }, body, now }) {
        const changed = await changeCredential(deps, account, credential_uuid, body, now);
        if (!changed.ok) return changed;
        return accepted({
          message: 'Credential updated successfully.',
          credential_uuid: credential_uuid.toLowerCase(),
        });
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      operation: named('Delete a trunk credential'),
      description:
        'Its trunks refuse calls from now on; an event names them, and so does the list of trunks with lost_credential_uuid.',
      schema: { params: credentialPath },
      success: 204,
      run: ({ account, params }) => removePart(deps, account, 'credentials', params.credential_uuid),
    }),
  ];
}

export function addressListRoutes(
  deps: CommandDeps,
  area: string,
  named: (title: string) => string,
): ApiRoute[] {
  const { addressLists } = deps.store;
  const path = `${area}/IPAccessControlList/`;
  const one = `${path}:ipacl_uuid/`;
  return [
    route({
      method: 'POST',
      path,
      operation: named('Create an IP access control list'),
      description: 'ip_addresses is required: 422 without it.',
      schema: { body: newAddressList, response: writtenAddressList },
      success: 201,
      async run({ account, body, now }) {
        const created = await createAddressList(deps, account, body, now);
        if (!created.ok) return created;
        const message = 'IP access control list created successfully.';
        return accepted({ message, ipacl_uuid: created.value });
      },
    }),
    route({
      method: 'GET',
      path,
      operation: named('List IP access control lists'),
      description: 'Newest first.',
      schema: { query: trunkPageQuery, response: addressListList },
      success: 200,
      run: ({ account, query }) => readPage(addressLists, account, query, path, shownAddressList),
    }),
    route({
      method: 'GET',
      path: one,
      operation: named('Retrieve an IP access control list'),
      schema: { params: addressListPath, response: addressListBody },
      success: 200,
      run: ({ account, params }) =>
        readOne(addressLists, account, params.ipacl_uuid, thingOf('addressLists'), shownAddressList),
    }),
    route({
      method: 'POST',
      path: one,
      operation: named('Update an IP access control list'),
      schema: { params: addressListPath, body: newAddressList, response: writtenAddressList },
      success: 202,
      async run({ account, params: { ipacl_uuid }, body }) {
        const changed = await changeAddressList(deps, account, ipacl_uuid, body);
        if (!changed.ok) return changed;
        return accepted({
          message: 'IP access control list updated successfully.',
          ipacl_uuid: ipacl_uuid.toLowerCase(),
        });
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      operation: named('Delete an IP access control list'),
      description: 'Its trunks keep their credential alone; an event names them.',
      schema: { params: addressListPath },
      success: 204,
      run: ({ account, params }) => removePart(deps, account, 'addressLists', params.ipacl_uuid),
    }),
  ];
}

export function originationUriRoutes(
  deps: CommandDeps,
  area: string,
  named: (title: string) => string,
): ApiRoute[] {
  const { uris } = deps.store;
  const path = `${area}/URI/`;
  const one = `${path}:uri_uuid/`;
  return [
    route({
      method: 'POST',
      path,
      operation: named('Create an origination URI'),
      description: 'uri is required, and with authentication_needed username and password: 422 without them.',
      schema: { body: newOriginationUri, response: writtenOriginationUri },
      success: 201,
      async run({ account, body, now }) {
        const created = await createOriginationUri(deps, account, body, now);
        if (!created.ok) return created;
        return accepted({ message: 'Origination URI created successfully.', uri_uuid: created.value });
      },
    }),
    route({
      method: 'GET',
      path,
      operation: named('List origination URIs'),
      description: 'Newest first.',
      schema: { query: trunkPageQuery, response: originationUriList },
      success: 200,
      run: ({ account, query }) => readPage(uris, account, query, path, shownUri),
    }),
    route({
      method: 'GET',
      path: one,
      operation: named('Retrieve an origination URI'),
      schema: { params: originationUriPath, response: originationUriBody },
      success: 200,
      run: ({ account, params }) => readOne(uris, account, params.uri_uuid, thingOf('uris'), shownUri),
    }),
    route({
      method: 'POST',
      path: one,
      operation: named('Update an origination URI'),
      schema: { params: originationUriPath, body: newOriginationUri, response: writtenOriginationUri },
      success: 202,
      async run({ account, params: { uri_uuid }, body }) {
        const changed = await changeOriginationUri(deps, account, uri_uuid, body);
        if (!changed.ok) return changed;
        return accepted({
          message: 'origination uri updated successfully.',
          uri_uuid: uri_uuid.toLowerCase(),
        });
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      operation: named('Delete an origination URI'),
      description: 'Its trunks keep their other URI; an event names them.',
      schema: { params: originationUriPath },
      success: 204,
      run: ({ account, params }) => removePart(deps, account, 'uris', params.uri_uuid),
    }),
  ];
}
