import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import Stripe from 'stripe'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CALLS } from './calls.ts'
import type { Customer, Dispute, Invoice, Price, Refund, Session, Subscription } from './objects.ts'
import type { Answers, Wrong } from './sdk.ts'
import type { chargeOf, intentOf, methodOf } from './whole.ts'

vi.setConfig({ testTimeout: 120_000 })
const root = path.resolve(import.meta.dirname, '../..')

/** All that the sandbox keeps and tells. */
type Kept =
  | Wrong<Customer, Stripe.Customer, 'customer'>
  | Wrong<Price, Stripe.Price, 'price'>
  | Wrong<Session, Stripe.Checkout.Session, 'session'>
  | Wrong<Subscription, Stripe.Subscription, 'subscription'>
  | Wrong<Invoice, Stripe.Invoice, 'invoice'>
  | Wrong<Refund, Stripe.Refund, 'refund'>
  | Wrong<Dispute, Stripe.Dispute, 'dispute'>
  | Wrong<ReturnType<typeof chargeOf>, Stripe.Charge, 'charge'>
  | Wrong<ReturnType<typeof intentOf>, Stripe.PaymentIntent, 'intent'>
  | Wrong<ReturnType<typeof methodOf>, Stripe.PaymentMethod, 'method'>
type Calls = typeof CALLS
type Answered = { [Name in keyof Calls]: Wrong<Awaited<ReturnType<Calls[Name]>>, Answers[Name], Name> }[keyof Calls]

/** What the compiler says of these files and all that they import, and of a file with this text. */
async function compiled(files: string[], text = ''): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conclave-shapes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const typeRoots = [path.join(root, 'node_modules/@types')]
  const compilerOptions = { typeRoots, types: ['node'] }
  const config = { extends: path.join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['text.ts', ...files] }
  await writeFile(path.join(folder, 'text.ts'), text)
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: root })
    return ''
  } catch (error) {
    return String(Object(error).stdout)
  }
}

test('the adapter calls and reads, and the sandbox keeps, tells, reads and answers, what the SDK’s types have', async () => {
  // Here the compiler names what is wrong.
  const nothingIsWrong = (found: Kept | Answered): never => found
  expect(nothingIsWrong).toBeTypeOf('function')
  const adapter = ['routes.ts', 'endCard.ts', 'endRenewal.ts'].map((file) => path.join(root, 'server/money/payments', file))
  expect(await compiled([import.meta.filename, ...adapter])).toBe('')
})

test('an invented field, a value that the provider never has, and a field that is gone are named', async () => {
  const said = await compiled(
    [],
    `import type { Answers, Wrong } from '${path.join(import.meta.dirname, 'sdk.ts')}'
type Subscription = Answers['GET /v1/subscriptions/:id']
type Own = { id: string; _own: string; cancel_at: number | null }
export const right = (found: Wrong<Own, Subscription, 'own'>): never => found
export const field = (found: Wrong<{ colour: string }, Answers['POST /v1/customers'], 'customer'>): never => found
export const value = (found: Wrong<{ status: 'active' | 'running' }, Subscription, 'subscription'>): never => found
export const kind = (found: Wrong<{ created: string }, Subscription, 'subscription'>): never => found
export const deep = (found: Wrong<{ items: { data: { price: { cents: number } }[] } }, Subscription, 'of'>): never => found
export const gone = ({ payment_intent }: Answers['GET /v1/invoices/:id']) => payment_intent`,
  )
  const named = [...said.matchAll(/Type '"(.*?)"' is not|Property '(\w+)' does not/g)].map(
    ([, type, property]) => type ?? property,
  )
  expect(named).toEqual([
    ...['customer.colour', 'subscription.status', 'subscription.created', 'of.items.data.price.cents', 'payment_intent'],
  ])
})

test('the adapter asks in the words of the API version that the SDK pins, and takes nothing for what the SDK does not say', async () => {
  expect(new Stripe('sk_test_1').getApiField('version')).toBe('2026-10-28.endive')
  const folder = path.join(root, 'server/money/payments')
  for (const file of await readdir(folder)) {
    const text = file.endsWith('.test.ts') ? '' : await readFile(path.join(folder, file), 'utf8')
    expect(text.match(/apiVersion|[:<] ?any\b|\bas (any|unknown|never|Stripe)|@ts-/g) ?? [], file).toEqual([])
  }
})
