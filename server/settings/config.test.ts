import { HDKey } from '@scure/bip32'
import { expect, test } from 'vitest'
import { hasTestCards } from './cardsettings.ts'
import { readConfig } from './config.ts'

test('without any setting the server is for this machine alone', () => {
  const config = readConfig({})
  expect(config).toMatchObject({ metricsPort: undefined, metricsHost: '127.0.0.1' })
  expect(config).toMatchObject({ port: 3000, host: '127.0.0.1', logLevel: 'info', trustProxy: false })
  expect(config.direct).toMatchObject({ ingress: 'direct', isSecure: false, hasProxy: false })
  expect(config.direct.origins(4000)).toEqual(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
})

test('a public address replaces those of this machine, and https is noticed', () => {
  const onion = `http://${'a'.repeat(56)}.onion`
  const config = readConfig({ PUBLIC_URL: 'https://chat.example.org/', ONION_URL: onion, TRUST_PROXY: '1' })
  expect(config).toMatchObject({ trustProxy: 1, direct: { isSecure: true, hasProxy: true } })
  expect(config.direct.origins(3000)).toEqual(['https://chat.example.org', onion])
})

test('cards: the sandbox on this machine alone, Stripe with both secrets, nothing with a public address and no key', () => {
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  const served = { PUBLIC_URL: 'https://chat.example.org' }
  expect(readConfig({}).card).toEqual({ provider: 'sandbox' })
  expect(readConfig(served).card).toEqual({ provider: 'off' })
  expect(readConfig({ NODE_ENV: 'production' }).card).toEqual({ provider: 'off' })
  // Whoever reaches the server would get a paid plan for nothing.
  for (const HOST of ['0.0.0.0', '::', '192.168.0.7']) {
    expect(readConfig({ HOST }).card).toEqual({ provider: 'off', why: expect.stringContaining('HOST') })
    expect(readConfig({ HOST, CARD_PROVIDER: 'off' }).card).toEqual({ provider: 'off' })
    expect(readConfig({ HOST, CARD_PROVIDER: 'sandbox' }).card).toEqual({ provider: 'sandbox' })
  }
  for (const HOST of ['localhost', '127.0.0.1', '::1']) expect(readConfig({ HOST }).card).toEqual({ provider: 'sandbox' })
  expect(readConfig({ ...served, CARD_PROVIDER: 'sandbox' }).card).toEqual({ provider: 'sandbox' })
  expect(readConfig({ ...served, ...stripe, PLANS_FOR_TEST_CARDS: 'on' }).card).toMatchObject({
    provider: 'stripe',
    secretKey: 'sk_test_1',
  })
  expect(() => readConfig({ NODE_ENV: 'production', CARD_PROVIDER: 'sandbox' })).toThrow(/^CARD_PROVIDER must be stripe or off/)
  expect(() => readConfig({ STRIPE_SECRET_KEY: 'sk_test_1' })).toThrow(/^STRIPE_WEBHOOK_SECRET must be set together/)
  expect(() => readConfig({ CARD_PROVIDER: 'stripe' })).toThrow(/^STRIPE_SECRET_KEY must be set/)
})

test('Master costs what the settings say, by the month, the year or both, in whole cents', () => {
  expect(readConfig({}).masterPrice).toEqual({ monthlyCents: null, yearlyCents: null })
  expect(readConfig({ MASTER_YEARLY_CENTS: '2000000' }).masterPrice).toEqual({ monthlyCents: null, yearlyCents: 2_000_000 })
  for (const wrong of ['0', '1', '49', '-1', '2500.00', '$2500', '100000000'])
    expect(() => readConfig({ MASTER_MONTHLY_CENTS: wrong }), wrong).toThrow(/^MASTER_MONTHLY_CENTS must be a price in US cents/)
})

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', PUBLIC_URL: ' ', DATABASE_URL: '' })).toMatchObject({
    port: 3000,
    publicUrl: undefined,
    databaseUrl: undefined,
  })
})

test('a bucket of S3 is used where all that it needs is set, and a setting that is missing is named', () => {
  const all = { S3_ENDPOINT: 'https://s3.example.org', S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' }
  expect(readConfig({}).s3).toBeUndefined()
  expect(readConfig(all).s3).toMatchObject({ bucket: 'files', region: 'us-east-1' })
  expect(() => readConfig({ ...all, S3_BUCKET: '' })).toThrow('S3_BUCKET must be set together with S3_ENDPOINT')
  expect(() => readConfig({ S3_SECRET_ACCESS_KEY: 'key' })).toThrow(/^S3_ENDPOINT must be set together/)
})

test('a bucket that browsers reach is an address of its own, of https where the pages are, and nothing that says more to a policy', () => {
  const all = { S3_ENDPOINT: 'https://s3.example.org', S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' }
  const urlOf = (S3_PUBLIC_URL: string, more = {}) => readConfig({ ...all, ...more, S3_PUBLIC_URL }).s3?.publicUrl
  expect(urlOf('https://files.example.org/')).toBe('https://files.example.org')
  expect(urlOf('https://s3.example.org/files//')).toBe('https://s3.example.org/files')
  expect(readConfig(all).s3?.publicUrl).toBeUndefined()
  const secure = { PUBLIC_URL: 'https://chat.example.org' }
  for (const wrong of ["https://a.org/;script-src'", 'https://a.org/x,y', 'https://a.org/?x=1', 'https://me:pw@a.org', 'files'])
    expect(() => urlOf(wrong), wrong).toThrow(/^S3_PUBLIC_URL must be/)
  expect(() => urlOf('http://files.example.org', secure)).toThrow(/^S3_PUBLIC_URL must be/)
  expect(() => readConfig({ S3_PUBLIC_URL: 'https://a.org' })).toThrow(/^S3_PUBLIC_URL must be set together/)
})

test('the owner of the tables is of the same database, and never alone', () => {
  const all = { DATABASE_URL: 'postgres://serv%40er:pw@pooler:6432/chat', DATABASE_OWNER_URL: 'postgresql://owner:pw@db/chat' }
  expect(readConfig({}).owner).toBeUndefined()
  expect(readConfig(all).owner).toEqual({ url: all.DATABASE_OWNER_URL, serverRole: 'serv@er' })
  expect(() => readConfig({ ...all, DATABASE_URL: undefined })).toThrow(/^DATABASE_URL must be set together/)
  expect(() => readConfig({ ...all, DATABASE_OWNER_URL: 'postgres://owner:pw@db/other' })).toThrow(
    /^DATABASE_OWNER_URL must be of the database of DATABASE_URL/,
  )
  expect(() => readConfig({ ...all, DATABASE_URL: 'postgres://db/chat' })).toThrow(
    /^DATABASE_URL must be an address that names its role/,
  )
  expect(() => readConfig({ ...all, DATABASE_OWNER_URL: 'mysql://pw@db' })).toThrow(
    /^DATABASE_OWNER_URL must be an address .* "something else"$/,
  )
})

test('the name of this machine is one address to listen on', () => {
  expect(['localhost', '0.0.0.0', '::1'].map((HOST) => readConfig({ HOST }).host)).toEqual(['127.0.0.1', '0.0.0.0', '::1'])
})

test('a live key of Stripe takes cards wherever it is set, and needs no word for test cards', () => {
  for (const STRIPE_SECRET_KEY of ['sk_live_51', 'rk_live_51', ' sk_live_51 '])
    for (const more of [{}, { NODE_ENV: 'production' }, { PUBLIC_URL: 'https://chat.example.org' }]) {
      const { card } = readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: 'whsec_1', ...more })
      expect(card).toEqual({ provider: 'stripe', secretKey: STRIPE_SECRET_KEY.trim(), webhookSecret: 'whsec_1' })
      expect(hasTestCards(card)).toBe(false)
    }
  for (const STRIPE_SECRET_KEY of ['sk_test_51', 'rk_test_51'])
    expect(readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: 'whsec_1' }).card).toMatchObject({ provider: 'stripe' })
})

test('a test key in production, or where others reach the server, gives paid plans for nothing: it needs a setting that says so', () => {
  const keys = { NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_test_51', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  for (const reached of [{ PUBLIC_URL: 'https://chat.example.org' }, { HOST: '0.0.0.0' }])
    expect(() => readConfig({ ...keys, NODE_ENV: undefined, ...reached })).toThrow(/^PLANS_FOR_TEST_CARDS must be on/)
  for (const STRIPE_SECRET_KEY of ['sk_test_51', 'rk_test_51'])
    expect(() => readConfig({ ...keys, STRIPE_SECRET_KEY })).toThrow(/^PLANS_FOR_TEST_CARDS must be on/)
  expect(() => readConfig({ ...keys, PLANS_FOR_TEST_CARDS: 'off' })).toThrow(/^PLANS_FOR_TEST_CARDS must be on/)
  const { card } = readConfig({ ...keys, PLANS_FOR_TEST_CARDS: 'on' })
  expect(card).toMatchObject({ provider: 'stripe', why: expect.stringContaining('no real money') })
  expect(readConfig({ ...keys, CARD_PROVIDER: 'off' }).card).toEqual({ provider: 'off' })
})

test('a key that is none of Stripe’s stops the start and is not repeated, and both keys are of one mode', () => {
  const STRIPE_WEBHOOK_SECRET = 'whsec_1'
  for (const STRIPE_SECRET_KEY of ['hello', 'pk_test_51', 'whsec_51', 'sk_test_', 'sk_other_51', 'sk_test_5 1']) {
    const read = () => readConfig({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET })
    expect(read, STRIPE_SECRET_KEY).toThrow(/^STRIPE_SECRET_KEY must be a key of Stripe/)
    expect(read).toThrow(/it is "something else"$/)
  }
  const frame = { PUBLIC_URL: 'https://chat.example.org', CHECKOUT_ORIGIN: 'https://pay.example.org' }
  const mixed = { STRIPE_SECRET_KEY: 'sk_test_51', STRIPE_WEBHOOK_SECRET, STRIPE_PUBLISHABLE_KEY: 'pk_live_51' }
  for (const more of [{}, frame])
    expect(() => readConfig({ ...mixed, ...more })).toThrow(/^STRIPE_PUBLISHABLE_KEY must be of the same mode/)
})

test('cards are paid in a frame where there is another host for it, and its settings are named', () => {
  const secrets = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1', PLANS_FOR_TEST_CARDS: 'on' }
  const cards = { ...secrets, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }
  const all = { ...cards, PUBLIC_URL: 'https://chat.example.org', CHECKOUT_ORIGIN: 'https://pay.example.org' }
  expect(readConfig(cards).frame).toBeUndefined()
  expect(readConfig(all).frame).toEqual({ origin: 'https://pay.example.org', publishableKey: 'pk_test_1' })
  expect(readConfig(all).policy).toContain(';frame-src https://pay.example.org;')
  expect(readConfig({ CHECKOUT_ORIGIN: 'http://pay.localhost:4000' }).frame?.origin).toBe('http://pay.localhost:4000')
  const wrong = [
    ...['https://chat.example.org', 'https://chat.example.org:444', 'http://pay.example.org', 'https://pay.example.org/x'],
    ...['https://me@pay.example.org', 'https://pay.example.org?x', "https://a;script-src'.org", 'https://[::1]', 'pay'],
    `https://${'a'.repeat(56)}.onion`,
  ]
  for (const origin of wrong)
    expect(() => readConfig({ ...all, CHECKOUT_ORIGIN: origin }), origin).toThrow(/^CHECKOUT_ORIGIN must/)
  for (const origin of ['http://localhost:4000', 'http://127.0.0.1:4000'])
    expect(() => readConfig({ CHECKOUT_ORIGIN: origin }), origin).toThrow(/^CHECKOUT_ORIGIN must/)
  expect(() => readConfig({ ...all, CARD_PROVIDER: 'off' })).toThrow(/^CHECKOUT_ORIGIN must be absent/)
  const hidden = { ...cards, ONION_URL: `http://${'a'.repeat(56)}.onion`, CHECKOUT_ORIGIN: 'https://pay.example.org' }
  expect(() => readConfig(hidden)).toThrow(/^CHECKOUT_ORIGIN must/)
  expect(() => readConfig({ ...all, STRIPE_PUBLISHABLE_KEY: '' })).toThrow(/^STRIPE_PUBLISHABLE_KEY must be set together/)
  expect(() => readConfig({ ...all, STRIPE_PUBLISHABLE_KEY: 'sk_live_1' })).toThrow(/^STRIPE_PUBLISHABLE_KEY must be the public/)
})

test.each([
  ['PORT', '70000', 'a number from 0 to 65535'],
  ['PORT', '3e3', 'a number'],
  ['METRICS_PORT', 'on', 'a number from 0 to 65535'],
  ['LOG_LEVEL', 'loud', 'one of fatal, error'],
  ['NODE_ENV', 'prod', 'one of development'],
  ['PUBLIC_URL', 'chat.example.org', 'https://chat.example.org'],
  ['PUBLIC_URL', 'ftp://x', 'https://chat.example.org'],
  ['ONION_URL', 'http://short.onion', '.onion'],
  ['DATABASE_URL', 'mysql://x', 'postgres://'],
  ['TRUST_PROXY', 'yes', 'the number of proxies'],
])('a wrong %s (%s) stops the start with its name and what is expected', (name, value, expected) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be .*${expected.replaceAll('.', '[.]')}`))
})

test('a server that is reached by its onion service alone asks no push service, unless it is told to', () => {
  const onion = `http://${'a'.repeat(56)}.onion`
  const [both, told] = [
    { ONION_URL: onion, PUBLIC_URL: 'https://chat.example.org' },
    { ONION_URL: onion, PUSH: 'on' },
  ]
  expect([{}, { ONION_URL: onion }, both, told, { PUSH: 'off' }].map((each) => readConfig(each).hasPush)).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('rates and the guard of outgoing requests can be lifted for tests, and never where others reach the server', () => {
  expect(readConfig({})).toMatchObject({ hasRateLimits: true, isOutboundGuarded: true })
  expect(readConfig({ RATE_LIMITS: 'off', NODE_ENV: 'test' })).toMatchObject({ hasRateLimits: false, isOutboundGuarded: true })
  expect(readConfig({ OUTBOUND_GUARD: 'off', NODE_ENV: 'test' })).toMatchObject({ isOutboundGuarded: false })
  const onion = `http://${'a'.repeat(56)}.onion`
  for (const more of [{ NODE_ENV: 'production' }, { PUBLIC_URL: 'https://chat.example.org' }, { ONION_URL: onion }]) {
    expect(() => readConfig({ RATE_LIMITS: 'off', ...more })).toThrow(/^RATE_LIMITS must be on/)
    expect(() => readConfig({ OUTBOUND_GUARD: 'off', ...more })).toThrow(/^OUTBOUND_GUARD must be on/)
  }
})

test('the password in a wrong DATABASE_URL is not repeated', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://me:hunter2@db' })).toThrow(/^(?!.*hunter2)DATABASE_URL/)
})

// The test vector of BIP-84, and Ethereum’s first account of the same words.
const ZPUB = 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const XPUB = 'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt'

test('a coin is taken where its node and its key are set, and no private key is', () => {
  expect(readConfig({}).coins).toEqual({ bitcoin: undefined, ethereum: undefined, prices: undefined })
  const bitcoin = { BITCOIN_ESPLORA_URL: 'http://127.0.0.1:3002/', BITCOIN_XPUB: ZPUB }
  expect(readConfig(bitcoin).coins).toMatchObject({
    bitcoin: { node: { kind: 'esplora', url: 'http://127.0.0.1:3002' }, xpub: ZPUB, network: 'mainnet' },
    prices: { coingecko: 'https://api.coingecko.com', kraken: 'https://api.kraken.com' },
  })
  const bitcoind = { BITCOIN_RPC_URL: 'http://me:hunter2@127.0.0.1:8332/wallet/conclave', BITCOIN_XPUB: ZPUB }
  expect(readConfig(bitcoind).coins.bitcoin?.node).toEqual({ kind: 'bitcoind', url: bitcoind.BITCOIN_RPC_URL })
  expect(() => readConfig({ ...bitcoin, ...bitcoind })).toThrow(/^(?!.*hunter2)BITCOIN_RPC_URL must be absent/)
  expect(() => readConfig({ BITCOIN_RPC_URL: bitcoind.BITCOIN_RPC_URL })).toThrow(/^(?!.*hunter2)BITCOIN_XPUB must be set/)
  const ethereum = { ETHEREUM_RPC_URL: 'http://127.0.0.1:8545', ETHEREUM_XPUB: XPUB }
  expect(readConfig(ethereum).coins.ethereum).toMatchObject({ chainId: 1, usdc: expect.stringMatching(/^0xA0b8/) })
  expect(readConfig({ ...ethereum, ETHEREUM_CHAIN_ID: '5' }).coins.ethereum?.usdc).toBeUndefined()
  expect(readConfig({ ...bitcoin, ONION_URL: `http://${'a'.repeat(56)}.onion` }).coins.prices).toBeUndefined()
  expect(() => readConfig({ BITCOIN_XPUB: ZPUB })).toThrow('BITCOIN_ESPLORA_URL must be set together with BITCOIN_XPUB')
  expect(() => readConfig({ ...bitcoin, BITCOIN_XPUB: `xprv${XPUB.slice(4)}` })).toThrow(/^BITCOIN_XPUB must be the extended/)
  expect(() => readConfig({ ...ethereum, USDC_CONTRACT: 'usdc' })).toThrow(/^USDC_CONTRACT must be/)
  expect(() => readConfig({ ...ethereum, ETHEREUM_CHAIN_ID: 'one' })).toThrow(/^ETHEREUM_CHAIN_ID must be/)
})

test('an extended key is whole, of an account, of the network that is taken, and of one coin alone', () => {
  const at = (path: string, versions = { public: 0x0488b21e, private: 0x0488ade4 }) =>
    HDKey.fromMasterSeed(new Uint8Array(32).fill(3), versions).derive(path)
  const account = at("m/84'/0'/0'")
  const tpub = at("m/84'/1'/0'", { public: 0x043587cf, private: 0x04358394 }).publicExtendedKey
  const takes = (BITCOIN_XPUB: string, BITCOIN_NETWORK = 'mainnet') =>
    readConfig({ BITCOIN_ESPLORA_URL: 'http://127.0.0.1:3002', BITCOIN_XPUB, BITCOIN_NETWORK })
  for (const network of ['testnet', 'signet', 'regtest']) {
    expect(takes(tpub, network).coins.bitcoin?.xpub).toBe(tpub)
    expect(() => takes(ZPUB, network)).toThrow(/^BITCOIN_XPUB must be a key of the network that the server takes, tpub or vpub/)
  }
  expect(() => takes(tpub)).toThrow(/^BITCOIN_XPUB must be a key of the network that the server takes, xpub or zpub/)
  for (const path of ['m', 'm/0', "m/84'/0'/0'/0"])
    expect(() => takes(at(path).publicExtendedKey), path).toThrow(/^BITCOIN_XPUB must be the key of an account, .*of depth \d"$/)
  const garbage = [`xpub${'6'.repeat(107)}`, ZPUB.slice(0, -1), ZPUB.replace('6rFR', '6rFQ'), account.privateExtendedKey]
  for (const wrong of garbage)
    expect(() => takes(wrong), wrong).toThrow(
      'BITCOIN_XPUB must be the extended public key of an account, such as xpub6C…, whole, but it is "something else"',
    )
  const ether = (ETHEREUM_XPUB: string) => readConfig({ ETHEREUM_RPC_URL: 'http://127.0.0.1:8545', ETHEREUM_XPUB })
  for (const wrong of [ZPUB, tpub, at('m').publicExtendedKey]) expect(() => ether(wrong)).toThrow(/^ETHEREUM_XPUB must be/)
  // The same key by other letters too.
  const { depth, index, parentFingerprint, chainCode, publicKey } = HDKey.fromExtendedKey(ZPUB, {
    public: 0x04b24746,
    private: 0x04b2430c,
  })
  const same = new HDKey({ depth, index, parentFingerprint, ...(chainCode && { chainCode }), ...(publicKey && { publicKey }) })
  const both = (ETHEREUM_XPUB: string) => () =>
    readConfig({ BITCOIN_ESPLORA_URL: 'http://a.org', BITCOIN_XPUB: ZPUB, ETHEREUM_RPC_URL: 'http://b.org', ETHEREUM_XPUB })
  expect(both(XPUB)).not.toThrow()
  expect(both(same.publicExtendedKey)).toThrow(/^ETHEREUM_XPUB must be the key of another account than BITCOIN_XPUB/)
})

test('a relay is named by addresses that browsers take, with its secret, which is not repeated', () => {
  const urls = 'turn:relay.example.org:3478?transport=udp, turns:relay.example.org:443?transport=tcp,stun:[2001:db8::1]:3478'
  const secret = 'a secret of the relay'
  expect(readConfig({ TURN_URLS: urls, TURN_SECRET: secret }).relay).toEqual({
    ...{ stunUrls: ['stun:[2001:db8::1]:3478'], secret, isLocal: false },
    turnUrls: ['turn:relay.example.org:3478?transport=udp', 'turns:relay.example.org:443?transport=tcp'],
  })
  const stun = 'stun:stun.l.google.com:19302'
  expect(readConfig({ TURN_URLS: stun }).relay).toEqual({ stunUrls: [stun], turnUrls: [], secret: undefined, isLocal: false })
  for (const wrong of [
    'relay.example.org',
    'https://relay.example.org',
    'turn:',
    'turn://a.org',
    'stun:a.org?transport=udp',
    'turn:a.org?transport=tls',
    'turn:me@a.org',
    ',',
    'turn:a.org,',
    `${'turn:a.org,'.repeat(10)}turn:a.org`,
  ])
    expect(() => readConfig({ TURN_URLS: wrong, TURN_SECRET: secret }), wrong).toThrow(/^TURN_URLS must be addresses of relays/)
  expect(() => readConfig({ TURN_URLS: 'turn:a.org' })).toThrow(/^TURN_SECRET must be set together with TURN_URLS/)
  for (const TURN_URLS of ['', stun])
    expect(() => readConfig({ TURN_URLS, TURN_SECRET: secret })).toThrow(/^TURN_URLS must be set together with TURN_SECRET/)
  const short = () => readConfig({ TURN_URLS: 'turn:a.org', TURN_SECRET: 'hunter22' })
  expect(short).toThrow(/^TURN_SECRET must be a random text of 16/)
  expect(short).not.toThrow(/hunter22/)
})

test('the server brings a relay of its own for browsers of this machine alone', () => {
  const isLocal = (variables: Record<string, string>) => readConfig(variables).relay.isLocal
  for (const here of [{}, { HOST: 'localhost' }, { HOST: '::1' }, { NODE_ENV: 'test' }])
    expect(isLocal(here), JSON.stringify(here)).toBe(true)
  for (const served of [
    { NODE_ENV: 'production' },
    { PUBLIC_URL: 'https://chat.example.org' },
    { ONION_URL: `http://${'a'.repeat(56)}.onion` },
    { HOST: '0.0.0.0' },
    { TURN_URLS: 'stun:a.org' },
  ])
    expect(isLocal(served), JSON.stringify(served)).toBe(false)
})

test('the seller is named whole or not at all, and receipts are kept for a number of years', () => {
  expect(readConfig({}).selling).toEqual({ seller: undefined, receiptYears: 10 })
  const { selling } = readConfig({ SELLER_NAME: 'Example Ltd', SELLER_ADDRESS: '1 High Street | London', RECEIPT_YEARS: '7' })
  expect(selling).toEqual({ seller: { name: 'Example Ltd', address: '1 High Street\nLondon', taxId: '' }, receiptYears: 7 })
  for (const wrong of [
    { SELLER_ADDRESS: '1 High Street' },
    { SELLER_TAX_ID: 'GB1' },
    { SELLER_NAME: 'x'.repeat(101) },
    { RECEIPT_YEARS: '0' },
    { RECEIPT_YEARS: 'ever' },
  ])
    expect(() => readConfig(wrong)).toThrow(/^(SELLER|RECEIPT)_\w+ must be/)
})

test('the guarantee is offered unless it is switched off', () => {
  expect([readConfig({}), readConfig({ CARD_GUARANTEE: 'off' })].map(({ hasGuarantee }) => hasGuarantee)).toEqual([true, false])
  expect(() => readConfig({ CARD_GUARANTEE: 'no' })).toThrow(/^CARD_GUARANTEE must be one of on, off/)
})

test('terms are an address and a version, both or none, and the words about a withdrawal need them', () => {
  const terms = { TERMS_URL: 'https://example.org/terms', TERMS_VERSION: '2026-11-30' }
  expect(readConfig({}).terms).toBeUndefined()
  expect(readConfig(terms).terms).toEqual({ url: terms.TERMS_URL, version: '2026-11-30', asksWithdrawal: false })
  expect(readConfig({ ...terms, TERMS_WITHDRAWAL: 'on' }).terms?.asksWithdrawal).toBe(true)
  expect(() => readConfig({ TERMS_URL: terms.TERMS_URL })).toThrow(/^TERMS_VERSION must be up to 40 .*set together/)
  expect(() => readConfig({ TERMS_VERSION: '1' })).toThrow(/^TERMS_URL must be set together with TERMS_VERSION/)
  expect(() => readConfig({ TERMS_WITHDRAWAL: 'on' })).toThrow(/^TERMS_URL must be set together with TERMS_WITHDRAWAL/)
  for (const TERMS_URL of ['terms', 'javascript:alert(1)', `https://example.org/${'x'.repeat(500)}`])
    expect(() => readConfig({ ...terms, TERMS_URL }), TERMS_URL).toThrow(/^TERMS_URL must be an address/)
  for (const TERMS_VERSION of ['x'.repeat(41), 'a"b'])
    expect(() => readConfig({ ...terms, TERMS_VERSION }), TERMS_VERSION).toThrow(/^TERMS_VERSION must be up to 40/)
})
