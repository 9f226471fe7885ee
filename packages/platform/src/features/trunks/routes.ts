import { newTrunk, trunkBody, trunkList, trunkListQuery, trunkPath, writtenTrunk } from '@jackfield/contract';
import { type ApiRoute, type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import type { CommandDeps } from './commands.ts';
import { removeTrunk } from './deletion-commands.ts';
import { addressListRoutes, credentialRoutes, originationUriRoutes } from './part-routes.ts';
import { readOne, readTrunks, shownTrunk } from './queries.ts';
import { changeTrunk, createTrunk } from './trunk-commands.ts';

/** Both words lead to the same resources: the first is ours, the second that of older programs. */
const areas = ['SipTrunk', 'Zentrunk'] as const;

export function trunkingRoutes(deps: CommandDeps): RouteGroup {
  const routesOf = (area: (typeof areas)[number]): ApiRoute[] => {
    const named = (title: string) => (area === areas[0] ? title : `${title} (${area})`);
    return [credentialRoutes, addressListRoutes, originationUriRoutes, trunkRoutes].flatMap((of) =>
      of(deps, area, named),
    );
  };
  return {
    name: 'Trunks',
    description: 'Telephone systems that call through the platform, and that it calls.',
    routes: areas.flatMap(routesOf),
  };
}

function trunkRoutes(deps: CommandDeps, area: string, named: (title: string) => string): ApiRoute[] {
  const { realm, store } = deps;
  const path = `${area}/Trunk/`;
  const one = `${path}:trunk_id/`;
  return [
    route({
      method: 'POST',
      path,
      operation: named('Create a trunk'),
      description:
        'trunk_direction is required; for outbound credential_uuid, ipacl_uuid or both, for inbound primary_uri_uuid: 422 without.',
      schema: { body: newTrunk, response: writtenTrunk },
      success: 201,
      async run({ account, body, now }) {
        const created = await createTrunk(deps, account, body, now);
        if (!created.ok) return created;
        return accepted({ message: 'Trunk created successfully.', trunk_id: created.value });
      },
    }),
    route({
      method: 'GET',
      path,
      operation: named('List trunks'),
      description: 'Newest first. With filters no more than 10,000 are counted.',
      schema: { query: trunkListQuery, response: trunkList },
      success: 200,
      run: ({ account, query }) => readTrunks(store, account, query, path, realm),
    }),
    route({
      method: 'GET',
      path: one,
      operation: named('Retrieve a trunk'),
      schema: { params: trunkPath, response: trunkBody },
      success: 200,
      run: ({ account, params }) =>
        readOne(store.trunks, account, params.trunk_id, 'trunk', (row) => shownTrunk(row, realm)),
    }),
    route({
      method: 'POST',
      path: one,
      operation: named('Update a trunk'),
      description: 'null removes credential_uuid, ipacl_uuid or a URI.',
      schema: { params: trunkPath, body: newTrunk, response: writtenTrunk },
      success: 202,
      async run({ account, params: { trunk_id }, body }) {
        const changed = await changeTrunk(deps, account, trunk_id, body);
        return changed.ok ? accepted({ message: 'Trunk updated successfully.', trunk_id }) : changed;
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      operation: named('Delete a trunk'),
      description: 'Its credential, address list and URIs stay.',
      schema: { params: trunkPath },
      success: 204,
      run: ({ account, params }) => removeTrunk(deps, account, params.trunk_id),
    }),
  ];
}
