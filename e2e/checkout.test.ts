import { connect, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { portOf } from '../server/testing/world.ts'
import { customer, givesTier } from './people.ts'
import { looksFine } from './screen.ts'
import { startServer } from './server.ts'

/** After so long without an answer the page in the frame is given up. */
const ANSWER_MS = 3100

/** Browsers reach the other origin by a way of their own, which can be cut. */
let port = 0
let isCut = true
const way = createServer((socket: Socket) => {
  socket.on('error', () => socket.destroy())
  if (isCut) return void socket.destroy()
  const there = connect(port, '127.0.0.1')
  there.on('error', () => there.destroy())
  socket.pipe(there).pipe(socket)
})
await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
afterAll(() => void way.close())
const origin = `http://pay.localhost:${portOf(way.address())}`

test('Alice pays in a frame of another origin, whose page has no cookie; where it does not load she is told, and the provider’s page is left', async () => {
  const server = await startServer({ CHECKOUT_ORIGIN: origin, TRUST_PROXY: '1', MASTER_MONTHLY_CENTS: '250000' })
  afterAll(() => server.stop())
  port = Number(new URL(server.url).port)
  const alice = await customer(server, 'Alice')
  const { page } = alice
  const button = (name: string) => page.getByRole('button', { name })
  await givesTier(server, alice, 'free')
  // Its clock is the test's.
  await page.clock.install()
  await page.goto(`${server.url}/subscribe`)
  const dialog = page.getByRole('dialog', { name: 'Payment by card' })
  const form = dialog.frameLocator('iframe')

  await button('Choose Premium').click()
  const failed = dialog.getByRole('alert').getByText('Failed to load checkout')
  await expect
    .poll(async () => {
      await page.clock.fastForward(ANSWER_MS)
      return failed.count()
    })
    .toBe(1)
  await button('Pay at the provider’s page').waitFor()
  await looksFine(page, 'a checkout that does not load')
  await button('Close and Try Again').click()
  await dialog.waitFor({ state: 'detached' })
  // The secret was for that origin alone, so the browser did not hand it to the page of the failure.
  expect(alice.complaints.filter((each) => !/target origin provided/.test(each))).toEqual([])
  alice.complaints.length = 0

  isCut = false
  // The provider's form takes its time: the page in the frame has answered, so nothing is given up after the time for that.
  let release = (): void => undefined
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/sandbox/embedded', async (route) => {
    await held
    await route.continue()
  })
  const begun = page.evaluate(
    () => new Promise((done) => addEventListener('message', ({ data }) => data?.type === 'begun' && done(undefined))),
  )
  await Promise.all([page.waitForRequest('**/sandbox/embedded'), button('Choose Premium').click()])
  await begun
  await dialog.locator('[aria-busy=true]').waitFor()
  await page.clock.fastForward(ANSWER_MS)
  expect(await dialog.getByRole('alert').count()).toBe(0)
  release()
  await form.getByText('Sandbox, no real money').waitFor()
  await looksFine(page, 'a checkout in a frame')
  // What anything but the frame says is nothing to the dialog.
  await page.evaluate(async () => {
    const heard = new Promise((resolve) => addEventListener('message', resolve, { once: true }))
    postMessage({ type: 'completed' }, '*')
    await heard
  })
  await dialog.waitFor()
  expect(await page.evaluate(() => history.state?.paid)).toBeUndefined()
  // Master has a price here, by the month alone.
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await button('Yearly').click()
  await page.getByRole('article', { name: 'Master' }).getByText('$2,500/month').waitFor()
  await button('Choose Master').click()
  await form.getByRole('button', { name: 'Pay $2,500.00' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await button('Monthly').click()
  await button('Choose Premium').click()
  await form.getByText('Sandbox, no real money').waitFor()
  await button('Pay at the provider’s page').click()
  await page.waitForURL(/\/sandbox\/checkout\//)
  await page.getByRole('link', { name: 'Back without paying' }).click()
  await page.getByText('Nothing was paid.').waitFor()

  await button('Choose Premium').click()
  await form.getByLabel('Card number').fill('4000 0000 0000 0002')
  await form.getByRole('button', { name: 'Pay $1,000.00' }).click()
  await form.getByText('Your card was declined.').waitFor()
  await form.getByLabel('Card number').fill('4242 4242 4242 4242')
  const [frame] = page.frames().filter((each) => each.url() === `${origin}/checkout`)
  expect(await frame?.evaluate(() => document.cookie)).toBe('')
  expect(await alice.context.cookies(origin)).toEqual([])
  expect(await page.evaluate(() => 'Stripe' in window)).toBe(false)
  await form.getByRole('button', { name: 'Pay $1,000.00' }).click()
  await page.getByText('Your payment is confirmed').waitFor()
  await page
    .getByRole('region', { name: 'Current plan' })
    .getByText(/^Renews /)
    .waitFor()
  await expect.poll(() => dialog.count()).toBe(0)
  expect(await server.account('check-ledger')).toContain('what the ledger says')
  await alice.leaves()
  expect(alice.complaints).toEqual([])
})
