import { expect } from 'vitest'
import { anotherBrowser, test as base, customer, startChat } from './people.ts'
import type { Person } from './person.ts'
import { hidesAddress, looksFine, putsAway, putsCallsAway } from './screen.ts'

/** Alice pays and hides her address, Bob does neither. Both have cameras, and their chat before them. */
const test = base.extend<{ callers: [Person, Person] }>({
  callers: [
    async ({ server }, use) => {
      const alice = await customer(server, 'Alice', { hasDevices: true })
      const bob = await customer(server, 'Bob', { hasDevices: true, isFree: true })
      await startChat(alice, bob)
      await alice.says('shall we talk?')
      await bob.reads('shall we talk?')
      await hidesAddress(alice.page, true)
      await bob.allowsAddress()
      await use([alice, bob])
      for (const one of [alice, bob]) {
        await one.leaves()
        expect(one.complaints).toEqual([])
      }
    },
    { scope: 'file' },
  ],
})

// One that fails in a call leaves the next ones alone.
test.beforeEach(({ callers }) => putsCallsAway(callers))

const line = ({ page }: Person, text: string | RegExp) => page.locator('.call-line', { hasText: text }).last()
const control = ({ page }: Person, name: string) =>
  page.getByRole('toolbar', { name: 'Call' }).getByRole('button', { name, exact: true })

test('Alice calls Bob by video, who pays nothing: both see each other and the same four words, and what each switches on and off; the call stands in the chat', async ({
  callers: [alice, bob],
}) => {
  await alice.calls('video')
  await bob.isRung('video')
  await looksFine(bob.page, 'an incoming call')
  await alice.page.getByText('Waiting for other participants to join').waitFor()
  await looksFine(alice.page, 'calling')
  // Before Accept nobody looks for an address: what tries the relay in silence asks for the relay's alone.
  for (const { page } of [alice, bob]) {
    const found = await page.evaluate(() => globalThis.watched?.found ?? [])
    expect(found.filter((one) => !one.includes(' typ relay '))).toEqual([])
  }
  await bob.takesCall()
  const [words, sameWords] = await Promise.all([alice.talks(), bob.talks()])
  expect(words.split(' ')).toHaveLength(4)
  expect(sameWords).toBe(words)
  await Promise.all([alice.sees(5), bob.sees(5)])
  await Promise.all([alice.listens(), bob.listens()])
  await looksFine(alice.page, 'a video call')

  await control(bob, 'Stop video').click()
  await alice.page.getByText('Bob’s camera is off').waitFor({ state: 'attached' })
  const sent = (await bob.flows()).framesSent
  await control(alice, 'Mute').click()
  await bob.page.getByText('Alice is muted').waitFor({ state: 'attached' })
  // Not even black ones.
  expect((await bob.flows()).framesSent - sent).toBeLessThanOrEqual(1)
  await control(bob, 'Start video').click()
  await alice.page.getByText('Bob’s camera is on').waitFor({ state: 'attached' })
  await alice.sees(5)

  await control(bob, 'Share').click()
  await alice.page.getByText('Bob’s screen').waitFor()
  await alice.sees(5)
  await looksFine(alice.page, 'a shared screen')
  await control(bob, 'Stop share').click()
  await alice.page.getByText('Bob’s screen').waitFor({ state: 'detached' })
  await alice.sees(5)

  await control(alice, 'Devices').click()
  await alice.page.getByRole('meter', { name: 'Level' }).waitFor()
  await looksFine(alice.page, 'devices in a call')
  await alice.page.getByLabel('Camera').selectOption({ label: 'fake_device_2' })
  await bob.sees(5)
  await alice.page.keyboard.press('Escape')

  await alice.page.locator('.call-words').click()
  await looksFine(alice.page, 'four words')
  await alice.page.getByRole('button', { name: 'They match' }).click()
  await alice.page.getByText('Compared on this call').waitFor()
  await alice.hangsUp()
  await line(alice, /Video call.*words compared/).waitFor()
  await line(bob, /Video call.*words compared/).waitFor()
  await looksFine(bob.page, 'the line of a call')
})

test('Bob reloads in the call and is back in it without a ring; his second browser stopped ringing when he accepted', async ({
  server,
  callers: [alice, bob],
}) => {
  const laptop = await anotherBrowser(server, bob, { hasDevices: true })
  // A browser that comes is busy with its keys before it rings.
  await laptop.page.getByText('Connected').waitFor()
  await alice.calls('voice')
  await Promise.all([bob, laptop].map((one) => one.isRung('voice')))
  const isTold = putsAway(laptop.page, 'Answered elsewhere', 'You took this call in another tab or browser.')
  await bob.takesCall()
  await isTold
  await laptop.page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await laptop.leaves()
  const words = await alice.talks()
  await bob.talks()
  await bob.page.reload()
  await bob.talks()
  await bob.listens()
  // Each attempt has its own.
  await expect.poll(() => alice.talks()).not.toBe(words)
  expect(await bob.talks()).toBe(await alice.talks())
  await bob.hangsUp()
  await line(alice, 'Voice call').waitFor()
})

test('Bob misses a call and declines another: it stands in both chats, his list names it, and because he pays nothing Call back shows the plans', async ({
  callers: [alice, bob],
}) => {
  await alice.calls('voice')
  await bob.isRung('voice')
  await alice.hangsUp()
  await bob.page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await bob.page.locator('a.row', { hasText: 'Missed voice call' }).waitFor()
  await line(bob, 'Missed voice call').getByRole('button', { name: 'Call back' }).click()
  const plans = bob.page.getByRole('dialog', { name: 'Subscription Required' })
  await looksFine(bob.page, 'plans instead of a call')
  await plans.getByRole('button', { name: 'Maybe Later' }).click()
  await line(alice, /Voice call.*cancelled/).waitFor()

  await alice.calls('video')
  await bob.isRung('video')
  await bob.page.getByRole('button', { name: 'Decline' }).click()
  await alice.page.getByText('Bob declined', { exact: true }).waitFor()
  await looksFine(alice.page, 'a declined call')
  await alice.page.getByRole('button', { name: 'Back to the chat' }).click()
  await line(bob, 'Declined video call').waitFor()
  await line(alice, /Video call.*declined/)
    .getByRole('button', { name: 'Call again' })
    .waitFor()
})

test('By keyboard alone Alice calls, mutes, films, shares, leaves the view and ends; Bob accepts by Enter', async ({
  callers: [alice, bob],
}) => {
  const [mine, his] = [alice.page.keyboard, bob.page.keyboard]
  await tabsTo(alice, 'Voice call')
  await mine.press('Enter')
  await bob.isRung('voice')
  await his.press('Enter')
  await Promise.all([alice.talks(), bob.talks()])
  for (const [key, heard] of [
    ['m', 'Alice is muted'],
    ['m', 'Alice is no longer muted'],
    ['v', 'Alice’s camera is on'],
    ['s', 'Alice shares the screen'],
    ['s', 'Alice’s camera is on'],
  ] as const) {
    await mine.press(key)
    await bob.page.getByText(heard, { exact: true }).waitFor({ state: 'attached' })
  }
  await mine.press('Escape')
  const bar = alice.page.getByRole('group', { name: 'Call' })
  await bar.getByRole('button', { name: 'Return' }).waitFor()
  await looksFine(alice.page, 'a call behind the chat')
  await tabsTo(alice, 'Return')
  await mine.press('Enter')
  await tabsTo(alice, 'Mute')
  await mine.press('ArrowLeft')
  await mine.press('Enter')
  await bob.page.locator('.call').waitFor({ state: 'detached' })
})

test('A microphone that is denied, missing, in use or unknown to the browser is named in the specification’s words; one that is unplugged in a call is replaced', async ({
  callers: [alice, bob],
}) => {
  const { page } = alice
  for (const [name, text] of [
    ['NotAllowedError', 'Camera/microphone access denied. Please allow permissions and try again.'],
    ['NotFoundError', 'No camera or microphone found. Please check your devices.'],
    ['NotReadableError', 'Camera or microphone is already in use by another application.'],
    ['NotSupportedError', 'Video calling is not supported in this browser.'],
    ['DataError', 'Media error: the test says so'],
  ] as const) {
    await page.evaluate((error) => {
      navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('the test says so', error)
      }
    }, name)
    const said = putsAway(page, 'Video Call Failed', text)
    await alice.calls('video')
    await said
  }
  expect(await bob.page.getByRole('alertdialog').count()).toBe(0)
  // From here on the browser's own one.
  await page.evaluate(() => Reflect.deleteProperty(navigator.mediaDevices, 'getUserMedia'))
  await alice.calls('video')
  await bob.isRung('video')
  await bob.takesCall()
  await Promise.all([alice.talks(), bob.talks()])
  await bob.sees(5)
  const isSaid = putsAway(page, 'Microphone unplugged', 'Now in use: ')
  await page.evaluate(() => {
    const [sender] = globalThis.watched?.peers.at(-1)?.getSenders() ?? []
    sender?.track?.dispatchEvent(new Event('ended'))
  })
  await isSaid
  await bob.listens()
  await bob.hangsUp()
  await page.locator('.call').waitFor({ state: 'detached' })
})

/** Presses Tab until the focus is on what has this name. */
async function tabsTo({ page }: Person, name: string): Promise<void> {
  const target = page.getByRole('button', { name, exact: true })
  for (let presses = 0; presses < 40; presses++) {
    if (await target.evaluateAll((all) => all.includes(document.activeElement as SVGElement & HTMLElement))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not come to ${name}`)
}
