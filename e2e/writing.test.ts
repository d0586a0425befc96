import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { talking as test } from './people.ts'
import { looksFine } from './screen.ts'

const fieldOf = (page: Page) => page.getByLabel('Message', { exact: true })
/** Types wherever the focus is, one key after another, and expects the field to hold this. */
async function typesOn(page: Page, text: string, whole: string): Promise<void> {
  await page.keyboard.type(text, { delay: 20 })
  await expect.poll(() => fieldOf(page).inputValue()).toBe(whole)
}

test('The search in a chat is one bar: X and Esc close it, and Alice types on in the field', async ({ alice, bob }) => {
  await bob.says('words to be found')
  await alice.reads('words to be found')
  const { page } = alice
  const bar = page.getByRole('search', { name: 'Search in this chat' })
  const opens = async () => {
    await page
      .locator('.head')
      .getByRole('button', { name: /search/i })
      .click()
    await expect.poll(() => bar.getByRole('textbox').evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await bar.count()).toBe(1)
    await page.keyboard.type('words', { delay: 20 })
    await bar.getByText('1 of 1').waitFor()
  }
  await opens()
  await bar.getByRole('button', { name: 'Close the search' }).click()
  await bar.waitFor({ state: 'detached' })
  await typesOn(page, 'after X', 'after X')
  await opens()
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await typesOn(page, ', after Esc', 'after X, after Esc')
  await opens()
  await page.keyboard.press('Control+f')
  expect(await bar.count()).toBe(1)
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await fieldOf(page).fill('')
})

/** Chooses a file as the person would, and types its caption into the dialog. */
async function chooses(page: Page, name: string, caption: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Choose files' }).click()
  await (await chooser).setFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('words of a file') }])
  await page.getByLabel('Caption').waitFor()
  await page.keyboard.type(caption, { delay: 20 })
}

test('A file goes out alone, by Send and by Enter: the words that Alice has half typed stay in the field', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  const half = 'I think you are '
  await fieldOf(page).focus()
  await typesOn(page, half, half)
  await chooses(page, 'first.txt', 'by the button')
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await bob.reads('by the button')
  await chooses(page, 'second.txt', 'by Enter')
  await page.keyboard.press('Enter')
  await bob.reads('by Enter')
  expect(await fieldOf(page).inputValue()).toBe(half)
  // Whatever was sent before the last words has come with them.
  await fieldOf(page).press('End')
  await typesOn(page, 'right', `${half}right`)
  await page.keyboard.press('Enter')
  await bob.reads(`${half}right`)
  expect((await bob.shows()).filter((text) => text.startsWith('I think'))).toEqual([`${half}right`])
})

/** Its microphone is a tone: a machine of tests has none. */
const hasMicrophone = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const streams: MediaStream[] = []
    Object.assign(window, { streams })
    navigator.mediaDevices.getUserMedia = async () => {
      const sound = new AudioContext()
      const [tone, out] = [sound.createOscillator(), sound.createMediaStreamDestination()]
      tone.connect(out)
      tone.start()
      streams.push(out.stream)
      return out.stream
    }
  })

/** The number of microphones that the page has not given back. */
const openMicrophones = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { streams } = window as unknown as { streams: MediaStream[] }
    return streams.flatMap((stream) => stream.getTracks()).filter(({ readyState }) => readyState === 'live').length
  })

/** Records until the clock of the recorder has gone on. */
async function records(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Record a voice message' }).click()
  await page
    .locator('.recording')
    .getByText(/^0:0[1-9]$/)
    .waitFor()
}

test('After a file by the button and after a voice message Alice types on, and no letter is lost', async ({ alice, bob }) => {
  const { page } = alice
  await chooses(page, 'third.txt', 'and then')
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await typesOn(page, 'after a file', 'after a file')
  await hasMicrophone(page)
  await records(page)
  await page.getByRole('button', { name: 'Send voice message' }).click()
  await page.locator('.recorder').waitFor({ state: 'detached' })
  await typesOn(page, ', after a voice', 'after a file, after a voice')
  await records(page)
  await page.getByRole('button', { name: 'Throw away' }).click()
  await page.locator('.recorder').waitFor({ state: 'detached' })
  await typesOn(page, ' and none', 'after a file, after a voice and none')
  await page.keyboard.press('Enter')
  await bob.reads('after a file, after a voice and none')
})

test('The red dot of a recording stands in the recorder, before the wave', async ({ alice }) => {
  const { page } = alice
  await hasMicrophone(page)
  await records(page)
  const boxOf = async (query: string) => {
    const box = await page.locator(query).boundingBox()
    if (!box) throw new Error(`${query} is not drawn`)
    return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height }
  }
  const [recorder, dot, wave] = [
    await boxOf('.recorder'),
    await boxOf('.recording > :first-child'),
    await boxOf('.recorder .wave'),
  ]
  expect(dot.left).toBeGreaterThan(recorder.left)
  expect(dot.right).toBeLessThanOrEqual(wave.left)
  expect(dot.top).toBeGreaterThan(recorder.top)
  expect(dot.bottom).toBeLessThan(recorder.bottom)
  await page.getByRole('button', { name: 'Throw away' }).click()
})

test('What Alice has recorded is paused by Esc and by leaving the chat, waits in its row, and is heard, gone on with and sent', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  const chat = page.url()
  const recorder = page.getByRole('group', { name: 'Voice message' }).filter({ has: page.getByText(/^0:0\d$/) })
  const row = page.locator('a.row', { hasText: bob.name })
  const seconds = async () => Number((await recorder.locator('.att-length').textContent())?.split(':')[1])
  await hasMicrophone(page)
  await records(page)
  expect(await openMicrophones(page)).toBe(1)
  await page.keyboard.press('Escape')
  await recorder.getByRole('button', { name: 'Play voice message' }).waitFor()
  expect(page.url()).toBe(chat)
  expect(await openMicrophones(page)).toBe(0)
  await looksFine(page, 'a paused recording')
  const first = await seconds()
  // Nothing is recorded any more, so the same key goes back as it does elsewhere.
  await page.keyboard.press('Escape')
  await row.getByText(`Voice draft 0:0${first}`, { exact: true }).waitFor()
  await looksFine(page, 'a voice draft in the list')

  await row.click()
  await recorder.getByRole('button', { name: 'Play voice message' }).click()
  await recorder.getByRole('button', { name: 'Go on recording' }).click()
  await expect.poll(seconds).toBeGreaterThan(first)
  // Another place of the page, while it records.
  await page.getByRole('button', { name: 'Profile Settings' }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  expect(await openMicrophones(page)).toBe(0)
  // The page would lose it, and asks.
  const asked = page.waitForEvent('dialog')
  await page.evaluate(() => setTimeout(() => location.reload()))
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await page.keyboard.press('Escape')
  await recorder.getByRole('button', { name: 'Play voice message' }).waitFor()
  const whole = await seconds()
  const heard = bob.page.locator('.att-voice')
  const before = await heard.count()
  await page.getByRole('button', { name: 'Send voice message' }).click()
  await recorder.waitFor({ state: 'detached' })
  await typesOn(page, 'that was all', 'that was all')
  await page.keyboard.press('Enter')
  await bob.reads('that was all')
  // It is whole: the two microphones spoke into one sound.
  const voice = heard.nth(before)
  const length = voice
    .locator('audio')
    .evaluate((audio: HTMLAudioElement) => new Promise((end) => audio.addEventListener('ended', () => end(audio.currentTime))))
  await voice.getByRole('button', { name: 'Play voice message' }).click()
  expect(await length).toBeGreaterThan(whole - 0.5)
})

test('A recording goes by Throw away alone, and nothing of it is left in the row', async ({ alice, bob }) => {
  const { page } = alice
  const row = page.locator('a.row', { hasText: bob.name })
  await hasMicrophone(page)
  await records(page)
  await page.getByRole('button', { name: 'Pause and listen' }).click()
  await page.getByRole('button', { name: 'Go on recording' }).waitFor()
  await page.keyboard.press('Escape')
  await row.getByText(/^Voice draft/).waitFor()
  await row.click()
  await page.getByRole('button', { name: 'Throw away' }).click()
  await typesOn(page, 'none', 'none')
  await fieldOf(page).fill('')
  await page.keyboard.press('Escape')
  await page.locator('.compose').waitFor({ state: 'detached' })
  expect(await row.getByText(/Voice draft/).count()).toBe(0)
  await row.click()
  await fieldOf(page).waitFor()
  expect(await page.locator('.recorder').count()).toBe(0)
})

test('Letters pressed on nothing are written, Esc goes back step by step, and so does Back on a phone', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  const chat = page.url()
  await bob.says('one step at a time')
  await alice.reads('one step at a time')
  const bar = page.getByRole('search', { name: 'Search in this chat' })
  const sheet = page.getByRole('dialog', { name: 'Contact', exact: true })
  const panel = page.getByRole('complementary', { name: 'Contact details' })
  const name = page.locator('[data-chat-title] button')
  const finds = async () => {
    await page.getByRole('button', { name: 'Search in this chat' }).click()
    await bar.waitFor()
  }

  await page.locator('.talk').click({ position: { x: 5, y: 5 } })
  await typesOn(page, 'Hello', 'Hello')
  await page.locator('a.row', { hasText: bob.name }).focus()
  await typesOn(page, 'you', 'Helloyou')

  // Beside the chat the panel was opened last, and the search goes first; each step leaves the words.
  await page.setViewportSize({ width: 1500, height: 800 })
  await finds()
  await name.click()
  await panel.waitFor()
  for (const [gone, left] of [
    [bar, panel],
    [panel, page.locator('.compose')],
  ] as const) {
    await page.keyboard.press('Escape')
    await gone.waitFor({ state: 'detached' })
    expect(await left.count()).toBe(1)
  }
  await page.keyboard.press('Escape')
  await page.getByText('People find you as').waitFor()
  await page.locator('a.row', { hasText: 'Draft: Helloyou' }).click()
  await fieldOf(page).waitFor()

  await page.setViewportSize({ width: 360, height: 740 })
  await page.waitForFunction(() => history.state?.list === true)
  await finds()
  await name.click()
  await sheet.waitFor()
  await page.goBack()
  await sheet.waitFor({ state: 'detached' })
  expect(await bar.count()).toBe(1)
  await page.goBack()
  await bar.waitFor({ state: 'detached' })
  expect(page.url()).toBe(chat)
  // What was closed otherwise is no step of its own.
  await name.click()
  await sheet.getByRole('button', { name: 'Close' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL('**/')
  await page.locator('a.row', { hasText: 'Draft: Helloyou' }).click()
  await expect.poll(() => fieldOf(page).inputValue()).toBe('Helloyou')

  // A keyboard that lies over the page covers neither the field nor the newest line.
  const covers = (height: number) =>
    page.evaluate((seen) => {
      Object.defineProperty(visualViewport, 'height', { value: seen, configurable: true })
      visualViewport?.dispatchEvent(new Event('resize'))
    }, height)
  const bottoms = async () =>
    Promise.all([page.locator('.compose'), page.locator('.bub').last()].map((part) => part.boundingBox()))
  await fieldOf(page).focus()
  await covers(400)
  await expect.poll(async () => (await bottoms()).every((box) => box !== null && box.y + box.height <= 400)).toBe(true)
  await covers(740)
  await expect.poll(async () => (await bottoms())[0]?.y ?? 0).toBeGreaterThan(600)
  await page.setViewportSize({ width: 1280, height: 800 })
  await fieldOf(page).fill('')
})

test('Alice answers a message by its bar, R and a file: what is chosen outlives a reload, and a quote leads up to its message', async ({
  alice,
  bob,
}) => {
  await bob.says('Shall we meet at nine?')
  await alice.reads('Shall we meet at nine?')
  const { page } = alice
  const asked = page.locator('.msg').filter({ hasText: 'Shall we meet at nine?' }).first()
  const replying = page.getByRole('group', { name: /^Reply to / })
  const before = await asked.boundingBox()
  await asked.hover()
  await asked.getByRole('button', { name: 'Reply' }).click()
  await replying.getByText('Shall we meet at nine?').waitFor()
  expect((await asked.boundingBox())?.x).toBe(before?.x)
  await typesOn(page, 'Yes, at', 'Yes, at')
  await alice.reloads()
  await replying.getByText('Shall we meet at nine?').waitFor()
  await expect.poll(() => fieldOf(page).inputValue()).toBe('Yes, at')
  await fieldOf(page).press('End')
  await typesOn(page, ' the old place', 'Yes, at the old place')
  await page.keyboard.press('Enter')
  await replying.waitFor({ state: 'detached' })
  await bob.reads('Yes, at the old place')
  const quote = bob.page.getByRole('button', { name: 'Reply to You Shall we meet at nine?' })
  await quote.waitFor()

  await page.locator('.msg').last().focus()
  await page.keyboard.press('r')
  await replying.getByText('Yes, at the old place').waitFor()
  await page.keyboard.press('Escape')
  await replying.waitFor({ state: 'detached' })
  await page.locator('.msg').last().focus()
  await page.keyboard.press('Enter')
  await chooses(page, 'map.txt', 'how to get there')
  await page.keyboard.press('Enter')
  await bob.reads('how to get there')
  await bob.page.getByRole('button', { name: `Reply to ${alice.name} Yes, at the old place` }).waitFor()
  expect(await replying.count()).toBe(0)

  for (let count = 0; count < 12; count++) await alice.says(`further down ${count}`)
  await bob.reads('further down 11')
  await quote.scrollIntoViewIfNeeded()
  await quote.click()
  await expect.poll(() => bob.page.evaluate(() => document.activeElement?.textContent ?? '')).toContain('Shall we meet at nine?')
  await looksFine(bob.page, 'A reply and what it quotes')
})

test('Alice names Bob by @ and Tab, and types on; he sees himself named, and a quote and the list show the username', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await fieldOf(page).click()
  await page.keyboard.type('Is it you, @bo', { delay: 20 })
  const list = page.getByRole('listbox', { name: 'People to mention' })
  await list.getByRole('option', { name: `@${bob.username}` }).waitFor()
  await looksFine(page, 'People to mention')
  await page.keyboard.press('Tab')
  await list.waitFor({ state: 'detached' })
  await typesOn(page, 'or me?', `Is it you, @${bob.username} or me?`)
  await page.keyboard.press('Enter')
  const mention = (each: Page) => each.locator('.bub .mention').last()
  await mention(bob.page).waitFor()
  expect(await mention(bob.page).getAttribute('class')).toBe('mention own')
  await expect.poll(() => mention(page).textContent()).toBe(`@${bob.name}`)
  await looksFine(page, 'A mention')
  await page.locator('.rows').getByText(`Is it you, @${bob.username} or me?`).waitFor()
})

test('By a finger on a phone a swipe to the right replies, and a rest opens the menu, which stays when the finger lifts', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await bob.says('within reach of a thumb')
  await alice.reads('within reach of a thumb')
  await page.setViewportSize({ width: 360, height: 740 })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
  const message = page.locator('.msg').last()
  const middle = async () => {
    const { x, y, height } = (await message.boundingBox()) ?? expect.fail()
    return { x: x + 40, y: y + height / 2 }
  }
  const replying = page.getByRole('group', { name: /^Reply to / })

  const from = await middle()
  await touch('touchStart', from.x, from.y)
  for (let right = 10; right <= 80; right += 10) await touch('touchMove', from.x + right, from.y)
  await touch('touchEnd')
  await replying.getByText('within reach of a thumb').waitFor()
  await replying.getByRole('button', { name: 'Cancel reply' }).click()
  await replying.waitFor({ state: 'detached' })

  const at = await middle()
  await touch('touchStart', at.x, at.y)
  const menu = page.getByRole('menu')
  await menu.waitFor()
  await touch('touchEnd')
  await menu.getByRole('menuitem', { name: 'Reply' }).click()
  await replying.getByText('within reach of a thumb').waitFor()
  await page.keyboard.press('Escape')
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await page.setViewportSize({ width: 1280, height: 720 })
})
