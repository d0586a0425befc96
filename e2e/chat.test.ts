import { expect } from 'vitest'
import { conversation, person, test } from './people.ts'

test('Alice and Bob talk, live in both directions, and the ticks say how far each message came', async ({ alice, bob }) => {
  await conversation(alice, bob)
  await alice.says('hello')
  await bob.reads('hello')
  await alice.seesTick('hello', 'Read')
  await bob.says('good evening')
  await alice.reads('good evening')
  expect(await alice.shows()).toEqual(await bob.shows())
})

test('Both write first at once: both messages arrive, in one order', async ({ alice, bob }) => {
  await conversation(alice, bob)
  await Promise.all([alice.says('from Alice'), bob.says('from Bob')])
  await Promise.all([alice.reads('from Bob'), bob.reads('from Alice')])
  await alice.seesTick('from Alice', 'Read')
  await bob.seesTick('from Bob', 'Read')
  expect(await alice.shows()).toEqual(await bob.shows())
})

test('A reload in the middle of a conversation keeps every word, also the unsent one in the composer', async ({ alice, bob }) => {
  await conversation(alice, bob)
  await alice.says('before the reload')
  await bob.reads('before the reload')
  await alice.drafts('half a thought')
  // A newer server no longer has the screen's code.
  const { page } = alice
  await page.route('**/assets/Settings-*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('button', { name: 'Profile Settings' }).click()
  await page.getByText('This part of the page did not load').waitFor()
  // The browser and React have said so too.
  alice.complaints.splice(0)
  await page.unroute('**/assets/Settings-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Profile Settings' }).waitFor()
  await page.goBack()
  await alice.reads('before the reload')
  await alice.page.waitForFunction(
    () => document.querySelector<HTMLTextAreaElement>('[aria-label="Message"]')?.value === 'half a thought',
  )
  await bob.says('still here')
  await alice.reads('still here')
})

test('Bob is away for a hundred messages and a change of keys, and reads all of them when he comes back', async ({
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  await alice.says('come back soon')
  await bob.reads('come back soon')
  await bob.goesOffline()
  await bob.page.getByText('You are offline').first().waitFor()
  for (let at = 1; at <= 100; at++) await alice.says(`message ${at}.`)
  await alice.seesTick('message 100.', 'Sent')
  await bob.comesBack()
  await bob.reads('message 100.')
  await alice.seesTick('message 100.', 'Read')
  await bob.says('I have read everything')
  await alice.reads('I have read everything')
})

test('Two tabs of Bob show every message once', async ({ alice, bob }) => {
  await conversation(alice, bob)
  const second = await bob.context.newPage()
  await second.goto(bob.page.url())
  await second.getByLabel('Message', { exact: true }).waitFor()
  for (let at = 1; at <= 5; at++) await alice.says(`number ${at}.`)
  for (const page of [bob.page, second]) {
    await page.locator('.bub', { hasText: 'number 5.' }).waitFor()
    expect(await page.locator('.bub', { hasText: /number \d\./ }).count()).toBe(5)
  }
  await second.getByLabel('Message', { exact: true }).fill('from the second tab')
  await second.keyboard.press('Enter')
  await alice.reads('from the second tab')
  await bob.reads('from the second tab')
})

test('Alice signs in with a second browser: it shows the conversation and writes in it', async ({ server, alice, bob }) => {
  await conversation(alice, bob)
  await alice.says('from the first browser')
  await bob.says('noted')
  await alice.reads('noted')
  const laptop = await person(server, 'Alice', alice)
  await laptop.signsIn()
  await laptop.page.getByRole('button', { name: 'Add this browser' }).click()
  await laptop.opens(bob)
  await laptop.reads('noted')
  expect(await laptop.shows()).toEqual(await alice.shows())
  await laptop.says('from the second browser')
  await bob.reads('from the second browser')
  await alice.reads('from the second browser')
  await bob.says('I see both of you')
  await laptop.reads('I see both of you')
  await laptop.leaves()
})

test('Whoever types on after Enter loses no letter, at any pace and behind any connection', async ({ alice, bob }) => {
  await conversation(alice, bob)
  const { page } = alice
  let latencyMs = 0
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    await route.continue()
  })
  await page.evaluate(() => {
    const field = document.querySelector('textarea')
    const shutAt: string[] = []
    Object.assign(window, { shutAt })
    const look = () => (field?.disabled || field?.readOnly || document.activeElement !== field) && shutAt.push(field?.value ?? '')
    if (field) new MutationObserver(look).observe(field, { attributes: true })
    field?.addEventListener('blur', look)
  })
  const field = page.getByLabel('Message', { exact: true })
  await field.focus()
  const wanted: string[] = []
  for (const [latency, keyMs] of [
    [0, 15],
    [0, 110],
    [150, 15],
    [150, 110],
    [800, 15],
    [800, 110],
  ] as const) {
    latencyMs = latency
    const lines = [`first ${latency} ${keyMs}`, `and on ${latency} ${keyMs}`]
    // One key after another, as hands do; `fill` would wait for the field.
    await page.keyboard.type(`${lines.join('\n')}\n`, { delay: keyMs })
    wanted.push(...lines)
  }
  await page.keyboard.type('left in the field', { delay: 15 })
  await expect.poll(() => alice.shows(), { timeout: 20_000 }).toEqual(wanted)
  expect(await field.inputValue()).toBe('left in the field')
  expect(await page.evaluate(() => (window as unknown as { shutAt: string[] }).shutAt)).toEqual([])
  await bob.reads('and on 800 110')
  expect(await bob.shows()).toEqual(wanted)
})
