import type { Generated } from 'kysely';

export type SipEndpointsTables = BindingsTables & {
  sip_endpoints: {
    /** Order of creation: lists in this order keep their pages when endpoints are added. */
    position: Generated<number>;
    endpoint_id: string;
    account: string;
    /** The main account of `account`, or `account` itself: a main account lists what its subaccounts own. */
    main_account: string;
    /** `base_name` and `stamp` as YYMMDDHHMMSS. */
    username: string;
    base_name: string;
    /** Seconds since the Unix epoch. */
    stamp: number;
    alias: string;
    application_id: string | null;
    password_md5_sealed: string;
    ha1_md5: string;
    ha1_sha256: string;
    created_at: number;
  };
  /** Number of endpoints that an account sees, so that no list counts them. */
  sip_endpoint_totals: { account: string; total: number };
};

export type EndpointRow = Omit<SipEndpointsTables['sip_endpoints'], 'position'>;

export type BindingsTables = {
  sip_bindings: {
    endpoint_id: string;
    contact: string;
    /** Empty for a phone without an instance. */
    instance: string;
    /** 0 for a binding that is no flow of RFC 5626. */
    reg_id: number;
    /** A JSON list of Route values; empty for none. */
    path: string;
    flow: string;
    q: number;
    expires_at: number;
    call_id: string;
    cseq: number;
    user_agent: string;
    registered_at: number;
    /** 0 for a token that does not allow calls; 1 for all others. */
    may_call: number;
    /** 0 where it is unknown. */
    refreshed_at: number;
    /** Empty for a binding of an earlier release, as `source` is. */
    transport: string;
    source: string;
  };
  /** Phones that have registered with an instance, whether they are registered or not. */
  sip_instances: { endpoint_id: string; instance: string; first_at: number };
};
