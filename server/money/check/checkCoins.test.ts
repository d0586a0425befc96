import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { COINS, coinsApi } from '../../../contract/money/coins.ts'
import { accountKeys, startBitcoin, startEthereum, startPriceSources } from '../../testing/chain.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { checkProvider } from './checks.ts'

vi.setConfig({ testTimeout: 60_000 })
const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const keys = accountKeys(11)

// The chains are made before the world whose clock they follow.
let world: World | undefined
const clock = () => world?.env.clock() ?? new Date()
const bitcoin = await startBitcoin(clock, keys.bitcoin)
const ethereum = await startEthereum(clock, keys.ethereum)
const sources = await startPriceSources()
const variables = { ...bitcoin.variables, ...ethereum.variables, ...sources.variables }
const here = await startWorld({ variables })
world = here
const { env } = here

async function asks(currency: 'bitcoin' | 'usdc') {
  const alice = await here.person('alice', 'free')
  const payment = await alice.does(coinsApi.createPayment, { packageId: PACKAGE, currency, billingPeriod: 'monthly' })
  const [whole = '', fraction = ''] = payment.amount.split('.')
  return { alice, payment, due: BigInt(whole + fraction.padEnd(COINS[currency].decimals, '0')) }
}

const tierOf = async (id: string) => (await here.sql('select subscription_tier from users where id = $1', [id]))[0]

test.each(['bitcoin', 'usdc'] as const)(
  'what came to an address of %s and is not written is named with request and account, and --mend looks at it',
  async (currency) => {
    const chain = currency === 'bitcoin' ? bitcoin : ethereum
    const { alice, payment, due } = await asks(currency)
    const hash = await chain.pay(payment.paymentAddress, due, currency)
    await chain.mine(COINS[currency].confirmations)
    const line = `the address ${payment.paymentAddress} of the request ${payment.id} of account ${alice.id} has ${hash}, which is not written here`
    expect((await checkProvider(env, 'nothing')).differences).toEqual([`${line}. check-provider --mend writes it`])
    expect(await tierOf(alice.id)).toEqual({ subscription_tier: 'free' })
    expect(await checkProvider(env, 'events')).toMatchObject({ differences: [], mended: [expect.stringContaining(hash)] })
    expect(await tierOf(alice.id)).toEqual({ subscription_tier: 'premium' })
    expect((await checkProvider(env, 'nothing')).differences).toEqual([])
  },
)

test('what is written and the chain shows no more, and a confirmed request without its payment, are named', async () => {
  const { alice, payment, due } = await asks('bitcoin')
  await bitcoin.pay(payment.paymentAddress, due, 'bitcoin')
  await bitcoin.mine(COINS.bitcoin.confirmations)
  await checkProvider(env, 'events')
  await here.sql("update crypto_arrivals set reference = 'elsewhere' where payment_id = $1", [payment.id])
  const [line] = (await checkProvider(env, 'nothing')).differences
  expect(line).toContain(`the address ${payment.paymentAddress} of the request ${payment.id} of account ${alice.id}`)
  await here.sql('delete from crypto_arrivals where payment_id = $1', [payment.id])
  await checkProvider(env, 'events')
  await here.sql('alter table ledger_entries disable trigger user')
  await here.sql('delete from ledger_entries where user_id = $1', [alice.id])
  await here.sql('alter table ledger_entries enable trigger user')
  const { differences } = await checkProvider(env, 'all')
  expect(differences).toEqual([
    expect.stringMatching(/^the ledger has no payment of the address .*, which is confirmed[.] Look at/),
  ])
  await here.sql('delete from crypto_arrivals where payment_id = $1', [payment.id])
  await here.sql('delete from crypto_reviews where payment_id = $1', [payment.id])
  await here.sql('delete from crypto_payments where id = $1', [payment.id])
})

test('a node that is silent is named once, and the other chain is compared', async () => {
  const both = [await asks('bitcoin'), await asks('bitcoin'), await asks('usdc')]
  const chain = env.coins.chainOf('bitcoin')
  if (!chain) throw new Error('Bitcoin is taken here')
  const asked = vi.spyOn(chain, 'head')
  bitcoin.answers(false)
  const { differences, looked } = await checkProvider(env, 'nothing')
  bitcoin.answers(true)
  expect(asked).toHaveBeenCalledTimes(1)
  asked.mockRestore()
  expect(differences).toEqual([expect.stringMatching(/^the addresses of bitcoin could not be compared: .+[.] Look at the node$/)])
  expect(looked).toBeGreaterThanOrEqual(both.length)
})

/** Runs the command beside the server. */
async function account(words: string[], settings: Record<string, string>) {
  const root = path.resolve(import.meta.dirname, '../../..')
  const program = ['--import', 'tsx', path.join(root, 'scripts/account.ts'), ...words]
  const run = promisify(execFile)(process.execPath, program, {
    cwd: root,
    env: { PATH: process.env['PATH'], DATABASE_URL: here.databaseUrl, ...settings },
  })
  return await run.then(
    ({ stdout }) => ({ code: 0, told: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, told: stderr }),
  )
}

test('the command ends with 0 where nothing differs, with 1 where something does, and refuses another provider than the server’s', async () => {
  const settings = { CARD_PROVIDER: 'sandbox', ...variables }
  expect(await account(['check-provider'], settings)).toEqual({
    ...{ code: 0, told: expect.stringMatching(/^\d+ things at the card provider and on the chains are what is written here\n$/) },
  })
  const { payment, due } = await asks('bitcoin')
  await bitcoin.pay(payment.paymentAddress, due, 'bitcoin')
  await bitcoin.mine(COINS.bitcoin.confirmations)
  expect(await account(['check-provider'], settings)).toEqual({ code: 1, told: expect.stringContaining(payment.id) })
  for (const other of [{ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }, { CARD_PROVIDER: 'off' }] as const)
    expect(await account(['check-provider', '--mend'], { ...other })).toEqual({
      ...{ code: 1, told: expect.stringMatching(/^The server takes cards at the sandbox, this command at /) },
    })
  expect((await account(['check-provider', '--mend'], settings)).code).toBe(0)
  expect((await account(['check-provider', '--mnd'], settings)).told).toContain('check-provider [--mend]')
})
