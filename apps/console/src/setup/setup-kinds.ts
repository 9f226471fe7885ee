import {
  applicationChanges,
  credentialChanges,
  endpointChanges,
  newAddressList,
  newApplication,
  newCredential,
  newEndpoint,
  newNumber,
  newOriginationUri,
  newSubaccount,
  newTrunk,
  newVerifyApp,
  numberChanges,
  subaccountChanges,
  verifyAppChanges,
} from '@jackfield/contract';
import type { texts } from '../texts/en-table.ts';

/** Something of the account that is created, changed and deleted by forms. */
export interface SetupKind {
  /** In the address of its screens. */
  readonly key: keyof typeof texts.setup.kinds;
  /** Of its list, below the account. */
  readonly path: string;
  /** The member of a record that names it in paths. */
  readonly id: string;
  /** Members that a list shows, the first as the link. */
  readonly columns: readonly string[];
  readonly create: object;
  readonly change: object;
}

export const setupKinds: readonly SetupKind[] = [
  {
    key: 'endpoints',
    path: 'Endpoint/',
    id: 'endpoint_id',
    columns: ['username', 'alias', 'sip_registered', 'sip_contact', 'sip_user_agent', 'application'],
    create: newEndpoint,
    change: endpointChanges,
  },
  {
    key: 'applications',
    path: 'Application/',
    id: 'app_id',
    columns: ['app_name', 'app_id', 'answer_url', 'hangup_url'],
    create: newApplication,
    change: applicationChanges,
  },
  {
    key: 'numbers',
    path: 'Number/',
    id: 'number',
    columns: ['number', 'alias', 'application', 'trunk_id', 'sub_account'],
    create: newNumber,
    change: numberChanges,
  },
  {
    key: 'trunks',
    path: 'SipTrunk/Trunk/',
    id: 'trunk_id',
    columns: ['name', 'trunk_direction', 'trunk_status', 'trunk_domain'],
    create: newTrunk,
    change: newTrunk,
  },
  {
    key: 'credentials',
    path: 'SipTrunk/Credential/',
    id: 'credential_uuid',
    columns: ['name', 'username', 'credential_uuid'],
    create: newCredential,
    change: credentialChanges,
  },
  {
    key: 'address-lists',
    path: 'SipTrunk/IPAccessControlList/',
    id: 'ipacl_uuid',
    columns: ['name', 'ip_addresses', 'ipacl_uuid'],
    create: newAddressList,
    change: newAddressList,
  },
  {
    key: 'uris',
    path: 'SipTrunk/URI/',
    id: 'uri_uuid',
    columns: ['name', 'uri', 'uri_uuid'],
    create: newOriginationUri,
    change: newOriginationUri,
  },
  {
    key: 'verify-apps',
    path: 'Verify/App/',
    id: 'app_uuid',
    columns: ['alias', 'brand_name', 'code_length', 'fraud_shield', 'is_default'],
    create: newVerifyApp,
    change: verifyAppChanges,
  },
  {
    key: 'subaccounts',
    path: 'Subaccount/',
    id: 'auth_id',
    columns: ['name', 'auth_id', 'enabled', 'created'],
    create: newSubaccount,
    change: subaccountChanges,
  },
];

export type SetupRecord = Readonly<Record<string, unknown>>;

export function setupKind(key: string): SetupKind | undefined {
  return setupKinds.find((kind) => kind.key === key);
}

/** A value of a record as text; an object as JSON. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
