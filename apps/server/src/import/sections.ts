/** What a file may hold, in the order of creation: an object refers to objects of earlier sections alone. */
export const sectionNames = [
  'applications',
  'endpoints',
  'credentials',
  'ip_access_control_lists',
  'origination_uris',
  'trunks',
  'numbers',
] as const;
export type SectionName = (typeof sectionNames)[number];

/** One kind of object: how the file shows it, and how the API creates it. */
export interface Section {
  /** Of the API, below the account. */
  readonly path: string;
  /** The member that identifies an object, in the file and in the answer to its creation. */
  readonly id: string;
  /** Members that are sent, with the parameter of the API. */
  readonly settings: Readonly<Record<string, string>>;
  /** Members that name an object of another section, with the parameter of the API. */
  readonly references: Readonly<
    Record<string, { readonly section: SectionName; readonly parameter: string }>
  >;
  /** Members that the server decides itself. */
  readonly decided: readonly string[];
  /** Exports hold no password that could be used: the object gets a new one. */
  readonly hasNewPassword?: true;
}

/** Members of every object: where it is, and to whom it belongs. */
const everywhere = ['api_id', 'resource_uri', 'sub_account'];

const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

export const sections: Readonly<Record<SectionName, Section>> = {
  applications: {
    path: 'Application/',
    id: 'app_id',
    settings: {
      ...same('app_name', 'answer_url', 'answer_method', 'hangup_url', 'hangup_method'),
      ...same('fallback_answer_url', 'fallback_method', 'message_url', 'message_method'),
      ...same('default_endpoint_app', 'public_uri', 'log_incoming_messages'),
      default_app: 'default_number_app',
    },
    references: {},
    decided: [...everywhere, 'enabled', 'sip_uri'],
  },
  endpoints: {
    path: 'Endpoint/',
    id: 'endpoint_id',
    settings: same('username', 'alias'),
    references: { application: { section: 'applications', parameter: 'app_id' } },
    decided: [
      ...everywhere,
      // An MD5.
      'password',
      'sip_uri',
      'sip_registered',
      'sip_contact',
      'sip_expires',
      'sip_user_agent',
    ],
    hasNewPassword: true,
  },
  credentials: {
    path: 'SipTrunk/Credential/',
    id: 'credential_uuid',
    settings: same('name', 'username'),
    references: {},
    decided: [...everywhere, 'previous_password_until'],
    hasNewPassword: true,
  },
  ip_access_control_lists: {
    path: 'SipTrunk/IPAccessControlList/',
    id: 'ipacl_uuid',
    settings: same('name', 'ip_addresses'),
    references: {},
    decided: everywhere,
  },
  origination_uris: {
    path: 'SipTrunk/URI/',
    id: 'uri_uuid',
    settings: same('name', 'uri', 'authentication_needed', 'username', 'password'),
    references: {},
    decided: everywhere,
  },
  trunks: {
    path: 'SipTrunk/Trunk/',
    id: 'trunk_id',
    settings: same('name', 'trunk_direction', 'trunk_status', 'secure'),
    references: {
      ipacl_uuid: { section: 'ip_access_control_lists', parameter: 'ipacl_uuid' },
      credential_uuid: { section: 'credentials', parameter: 'credential_uuid' },
      primary_uri_uuid: { section: 'origination_uris', parameter: 'primary_uri_uuid' },
      fallback_uri_uuid: { section: 'origination_uris', parameter: 'fallback_uri_uuid' },
    },
    decided: [...everywhere, 'trunk_domain', 'lost_credential_uuid'],
  },
  numbers: {
    path: 'Number/',
    id: 'number',
    settings: same('number', 'alias'),
    references: {
      application: { section: 'applications', parameter: 'app_id' },
      trunk_id: { section: 'trunks', parameter: 'trunk_id' },
    },
    decided: [...everywhere, 'added_on', 'voice_enabled'],
  },
};
