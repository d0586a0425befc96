import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { isHidden, isServed, readTor } from './torsettings.ts'

const onion = `http://${'a'.repeat(56)}.onion`
const PUBLIC = { PUBLIC_URL: 'https://chat.example.org' }
const modeOf = (variables: Record<string, string>) => readTor(variables).mode

// The test vector of BIP-84.
const ZPUB = 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'

test('tor is off where the server is for this machine alone or for a test, and used where others come', () => {
  expect([{}, { HOST: '0.0.0.0' }, { NODE_ENV: 'test', ...PUBLIC }, { ONION_URL: onion, ...PUBLIC }].map(modeOf)).toEqual([
    'off',
    'off',
    'off',
    'off',
  ])
  const served = [{ NODE_ENV: 'production' }, PUBLIC, { TOR_CONTROL: '127.0.0.1:9051' }, { NODE_ENV: 'test', TOR: 'auto' }]
  expect(served.map(modeOf)).toEqual(['auto', 'auto', 'auto', 'auto'])
  expect([{ TOR: 'required' }, { ...PUBLIC, TOR: 'off' }].map(modeOf)).toEqual(['required', 'off'])
})

test('whoever publishes an onion service serves others: no trial card, no relay for this machine, no lifted limit', () => {
  const ways = [
    { NODE_ENV: 'production' },
    PUBLIC,
    { ONION_URL: onion },
    { TOR: 'auto' },
    { TOR: 'required' },
    { TOR_CONTROL: 'unix:/x' },
  ]
  for (const variables of ways) {
    expect(isServed(variables)).toBe(true)
    const { card, relay } = readConfig(variables)
    expect([card.provider, relay.isLocal]).toEqual(['off', false])
    for (const name of ['RATE_LIMITS', 'OUTBOUND_GUARD'])
      expect(() => readConfig({ ...variables, [name]: 'off' })).toThrow(new RegExp(`^${name} must be on`))
  }
  for (const variables of [{}, { TOR: 'off' }]) {
    expect(isServed(variables)).toBe(false)
    expect([readConfig(variables).card.provider, readConfig(variables).relay.isLocal]).toEqual(['sandbox', true])
  }
})

test('an onion service without a public address is hidden: it asks no push service and no prices, and has no frame', () => {
  const coins = { BITCOIN_ESPLORA_URL: 'https://btc.example.org', BITCOIN_XPUB: ZPUB }
  for (const variables of [{ TOR: 'auto' }, { TOR: 'required' }, { ONION_URL: onion }, { NODE_ENV: 'production' }]) {
    expect(isHidden(variables)).toBe(true)
    const config = readConfig({ ...variables, ...coins })
    expect([config.hasPush, config.coins.prices]).toEqual([false, undefined])
    const frame = { CHECKOUT_ORIGIN: 'https://pay.example.org', CARD_PROVIDER: 'stripe', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'w' }
    expect(() => readConfig({ ...variables, ...frame, ...keys })).toThrow(/must be/)
  }
  for (const variables of [{}, PUBLIC, { TOR: 'auto', ...PUBLIC }, { TOR: 'off' }]) {
    expect(isHidden(variables)).toBe(false)
    expect(readConfig(variables).hasPush).toBe(true)
  }
})

test('where Tor is required no card is taken, whose provider could not tell the server', () => {
  const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'w' }
  expect(() => readConfig({ ...PUBLIC, ...keys, TOR: 'required' })).toThrow(/^CARD_PROVIDER must be off with TOR=required/)
  expect(() => readConfig({ ...PUBLIC, CARD_PROVIDER: 'sandbox', TOR: 'required' })).toThrow(/^CARD_PROVIDER must be off/)
  expect(readConfig({ ...PUBLIC, TOR: 'required' }).card.provider).toBe('off')
})

test.each([
  ['TOR', { TOR: 'on' }],
  ['ONION_URL', { ONION_URL: onion, TOR: 'auto' }],
  ['ONION_URL', { ONION_URL: onion, TOR_CONTROL: '127.0.0.1:9051' }],
  ['TOR_CONTROL', { TOR: 'off', TOR_CONTROL: '127.0.0.1:9051' }],
  ['TOR_CONTROL', { TOR: 'auto', TOR_CONTROL_PASSWORD: 'x' }],
  ['TOR_CONTROL', { TOR_CONTROL: '9051' }],
  ['TOR_CONTROL', { TOR_CONTROL: 'unix:relative' }],
  ['TOR_CONTROL', { TOR_CONTROL: '127.0.0.1:99999' }],
  ['TOR_CONTROL', { TOR_CONTROL: 'tor:0' }],
  ['TOR_CONTROL_PASSWORD', { TOR_CONTROL: '127.0.0.1:9051', TOR_CONTROL_PASSWORD: 'first\nsecond' }],
  ['TOR_CONFIG', { TOR_CONTROL: '127.0.0.1:9051', TOR_CONFIG: '/etc/bridges' }],
  ['TOR_SOCKET', { TOR: 'auto', TOR_SOCKET: '/run/conclave/web' }],
  ['TOR_SOCKET', { TOR_CONTROL: 'unix:/x', TOR_SOCKET: `/${'x'.repeat(107)}` }],
])('%s in %o is refused by name, and a password is not repeated', (name, variables) => {
  expect(() => readConfig(variables)).toThrow(new RegExp(`^${name} must be`))
  expect(() => readConfig(variables)).not.toThrow(/first|second/)
})

test('a control port is read with its address, as a socket or on another machine', () => {
  const at = (text: string) => readTor({ TOR_CONTROL: text }).control?.address
  expect([at('unix:/run/tor/control'), at('127.0.0.1:9051'), at('[::1]:9051'), at('tor:9051')]).toEqual([
    { path: '/run/tor/control' },
    { host: '127.0.0.1', port: 9051 },
    { host: '::1', port: 9051 },
    { host: 'tor', port: 9051 },
  ])
})
