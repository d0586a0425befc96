import { expect } from 'vitest'
import { startPushService } from '../server/testing/pushed.ts'
import { chatters, talkingNotified as test } from './people.ts'
import { looksFine, opensNotices } from './screen.ts'

interface Told {
  notification: Notification
  words: string[]
  isOpen: boolean
}

test('While Alice looks elsewhere her system says “New message” once she wants it, and no more; a press leads to it, and a muted chat makes no noise', async ({
  alice,
  bob,
  server,
}) => {
  const { page, context } = alice
  await context.grantPermissions(['notifications'])
  await page.addInitScript(() => {
    const told: Told[] = []
    const Real = Notification
    Object.assign(window, {
      told,
      Notification: class extends Real {
        constructor(title: string, options: NotificationOptions = {}) {
          super(title, options)
          const one: Told = { notification: this, words: [title, options.body ?? ''], isOpen: true }
          told.push(one)
          this.close = () => {
            one.isOpen = false
            super.close()
          }
        }
      },
    })
  })
  const told = () =>
    page.evaluate(() => (window as unknown as { told: Told[] }).told.map(({ words, isOpen }) => [...words, isOpen]))
  // Playwright's pages have the focus always: the browser's answer is replaced, as if another window had it.
  const looks = (isHere: boolean) =>
    page.evaluate((here) => {
      document.hasFocus = () => here
      dispatchEvent(new Event(here ? 'focus' : 'blur'))
    }, isHere)

  await page.goto(server.url)
  // They wait for the first answer of the list, which is no news whatever it holds.
  await page.getByRole('list', { name: 'First steps' }).waitFor()
  await looks(false)
  await chatters(bob, ['missed'])
  // The page asks once something was missed, and not before.
  const sheet = await opensNotices(page, 'A message came while you were elsewhere')
  await looks(true)
  await looksFine(page, 'offer')
  await page.getByRole('button', { name: 'Tell me' }).click()
  await sheet.waitFor({ state: 'detached' })
  expect(await told()).toEqual([])
  // The page is left at once: by then the server knows that she has read it.
  const marked = page.waitForResponse((answer) => answer.url().endsWith('/mark-read'))
  await alice.opens(bob)
  await alice.reads('missed')
  await marked
  await page.goto(`${server.url}/settings?tab=notifications`)
  const isOn = page.getByRole('switch', { name: 'Tell me when this page is in the background' })
  await expect.poll(() => isOn.isChecked()).toBe(true)
  await looksFine(page, 'notification settings')
  await page.getByRole('button', { name: 'Back to chat' }).click()
  await page.locator('a.row', { hasText: 'Bob' }).waitFor()
  await looks(false)
  await chatters(bob, ['the secret plan'])
  await expect.poll(told).toEqual([['New message', '', true]])
  await expect.poll(() => page.title()).toBe('(1) Conclave')
  await expect.poll(() => page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/)

  await page.evaluate(() => (window as unknown as { told: Told[] }).told[0]?.notification.dispatchEvent(new Event('click')))
  await looks(true)
  await alice.reads('the secret plan')
  await expect.poll(() => page.title()).toBe('Conclave')
  await expect.poll(told).toEqual([['New message', '', false]])

  await page.getByRole('button', { name: 'Home' }).click()
  const row = page.locator('a.row', { hasText: 'Bob' })
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mute' }).click()
  await page.getByRole('radio', { name: 'Always' }).check()
  await looksFine(page, 'mute')
  await page.getByRole('button', { name: 'Mute', exact: true }).click()
  await row.getByText('Muted').waitFor({ state: 'attached' })
  await looks(false)
  await chatters(bob, ['quiet one', 'quiet two'])
  await row.locator('.count.still', { hasText: '2' }).waitFor()
  expect([await page.title(), await page.locator('.bell .count').count(), (await told()).length]).toEqual(['Conclave', 0, 1])

  await looks(true)
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Unmute' }).click()
  await page.locator('.bell .count', { hasText: '2' }).waitFor()
  await page.getByRole('button', { name: 'Notifications' }).click()
  const bell = page.getByRole('dialog')
  const line = bell.getByRole('link', { name: /Bob.*2 unread/s })
  await line.waitFor()
  await looksFine(page, 'bell')
  // What cannot be done without a connection is not offered; what the server refuses changes nothing.
  await alice.goesOffline()
  await bell.getByText('Not connected: what came since is missing here.').waitFor()
  expect(await bell.getByRole('button', { name: 'Mark all as read' }).isDisabled()).toBe(true)
  await looksFine(page, 'bell, offline')
  await alice.comesBack()
  await bell.getByText('Not connected').waitFor({ state: 'detached' })
  await page.route('**/api/notifications/read', (route) =>
    route.fulfill({ status: 503, json: { error: 'Busy', code: 'unavailable' } }),
  )
  await bell.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('Not marked as read').waitFor()
  await line.waitFor()
  await page.unroute('**/api/notifications/read')
  await line.click()
  await alice.reads('quiet two')
  await expect.poll(() => page.title()).toBe('Conclave')
})

const service = await startPushService()

test('With Conclave closed what Bob writes reaches Alice’s system by her push service as “New message” and nothing more, and stands until she has read it', async ({
  alice,
  bob,
  server,
}) => {
  const { page, context } = alice
  await context.grantPermissions(['notifications'])
  const tools = await context.newCDPSession(page)
  const ids = new Set<string>()
  tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const { registrationId } of registrations) ids.add(registrationId)
  })
  await tools.send('ServiceWorker.enable')
  await page.goto(`${server.url}/settings?tab=notifications`)
  const choice = page.getByRole('switch', { name: 'Notify me when Conclave is closed' })
  await choice.click()
  // This Chromium has no push service. The test takes its place.
  await page.getByText('Its push service does not answer').first().waitFor()
  const saidByChromium = alice.complaints.filter((complaint) => complaint.includes('Push API'))
  for (const complaint of saidByChromium) alice.complaints.splice(alice.complaints.indexOf(complaint), 1)
  expect(await choice.isChecked()).toBe(false)
  await looksFine(page, 'the notification settings')
  const browser = service.browser()
  const status = await page.evaluate(async (subscription) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/api/push/subscriptions', { method: 'POST', headers, body: JSON.stringify(subscription) })).status
  }, browser.subscription)
  expect(status).toBe(200)

  await page.goto('about:blank')
  await bob.page.getByText('Last seen').first().waitFor()
  await chatters(bob, ['the secret plan'])
  await expect.poll(() => browser.pushed().length, { timeout: 30_000 }).toBe(1)
  const data = JSON.stringify(browser.opens(browser.pushed()[0]))
  const [registrationId = ''] = ids
  const [worker] = context.serviceWorkers()
  const shown = () =>
    worker?.evaluate(async () => {
      const { registration } = globalThis as unknown as ServiceWorkerGlobalScope
      return (await registration.getNotifications()).map(({ title, body }) => [title, body])
    })
  await worker?.evaluate(countsShown)
  let shownCount = 0
  /** A push that the system shows. */
  const arrives = async () => {
    await push()
    shownCount += 1
    await expect.poll(() => worker?.evaluate(() => Reflect.get(globalThis, 'shownCount'))).toBe(shownCount)
    expect(await shown()).toEqual([['New message', '']])
  }
  const push = () => tools.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data })
  await arrives()
  await arrives()
  // DevTools can neither press a notification nor end a subscription: the worker is handed events of the browser's own kinds. Without a
  // real press the browser opens no window for it.
  expect(await worker?.evaluate(pressed)).toMatch(/Not allowed to open a window/)
  await expect.poll(shown).toEqual([])
  const next = service.browser().subscription
  expect(await worker?.evaluate(replaced, next)).toBe(200)
  await arrives()

  await page.goto(server.url)
  await page.locator('a.row', { hasText: 'Bob' }).waitFor()
  expect(await shown()).toEqual([['New message', '']])
  await alice.opens(bob)
  await expect.poll(shown).toEqual([])
  // She looks at a page: it tells by itself.
  await push()
  await bob.says('and another')
  await alice.reads('and another')
  expect(await shown()).toEqual([])
})

/**
 * Runs in the worker: counts what has been shown to the end. Whoever asks for the notifications while one comes, makes Chromium forget it:
 * it takes what its database has already, and the screen had not yet, for one that somebody has put away.
 */
function countsShown(): void {
  const { registration } = globalThis as unknown as ServiceWorkerGlobalScope
  const show = registration.showNotification.bind(registration)
  let count = 0
  Object.assign(registration, {
    async showNotification(...words: Parameters<typeof show>) {
      await show(...words)
      count += 1
      Reflect.set(globalThis, 'shownCount', count)
    },
  })
}

/** Runs in the worker: presses the notification that is shown. Returns what the browser says of it. */
async function pressed(): Promise<string> {
  const scope = globalThis as unknown as ServiceWorkerGlobalScope
  const [notification] = await scope.registration.getNotifications()
  if (!notification) return 'Nothing is shown'
  let work: Promise<unknown> | undefined
  const event = new NotificationEvent('notificationclick', { notification })
  Object.defineProperty(event, 'waitUntil', { value: (waited: Promise<unknown>) => (work = waited) })
  scope.dispatchEvent(event)
  return String(await work?.catch((error: unknown) => error))
}

/**
 * Runs in the worker: the push service has ended the subscription and gives this one instead. Returns what the server says to its
 * end, by which it must know it.
 */
async function replaced(subscription: { endpoint: string }): Promise<number> {
  const { registration, dispatchEvent } = globalThis as unknown as ServiceWorkerGlobalScope
  Object.assign(registration.pushManager, { subscribe: async () => subscription })
  let work: Promise<unknown> | undefined
  const event = new Event('pushsubscriptionchange')
  Object.defineProperty(event, 'waitUntil', { value: (waited: Promise<unknown>) => (work = waited) })
  dispatchEvent(event)
  await work
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ endpoint: subscription.endpoint })
  return (await fetch('/api/push/subscriptions', { method: 'DELETE', headers, body })).status
}
