import { expect } from 'vitest'
import { takeUncaught } from './browser.ts'
import { keepsShown, shownRow } from './copy.ts'
import { talking as test } from './people.ts'
import { looksFine } from './screen.ts'

const COMPOSER = 'textarea[aria-label="Message"]'

test('Both write first at once: both messages arrive, in one order', async ({ alice, bob }) => {
  await Promise.all([alice.says('from Alice'), bob.says('from Bob')])
  await Promise.all([alice.reads('from Bob'), bob.reads('from Alice')])
  await alice.seesTick('from Alice', 'Read')
  await bob.seesTick('from Bob', 'Read')
  expect(await alice.shows()).toEqual(await bob.shows())
})

test('Alice and Bob talk, live in both directions, and the ticks say how far each message came', async ({ alice, bob }) => {
  await alice.says('hello')
  await bob.reads('hello')
  await alice.seesTick('hello', 'Read')
  await bob.says('good evening')
  await alice.reads('good evening')
  // A screen reader hears it once: the list itself is silent.
  const heard = alice.page.locator('[role="status"], [role="alert"], [aria-live="polite"], [role="log"]:not([aria-live="off"])')
  await expect.poll(() => heard.filter({ hasText: 'good evening' }).count()).toBe(1)
  expect(await alice.shows()).toEqual(await bob.shows())
  // What is copied is what was said, without times, ticks and days.
  const copied = await alice.page.getByRole('log').evaluate((log) => {
    const selection = getSelection()
    selection?.selectAllChildren(log)
    const text = selection?.toString() ?? ''
    selection?.removeAllRanges()
    return text
  })
  expect(copied).toMatch(/hello\s+good evening/)
  expect(copied).not.toMatch(/\d:\d\d|\b(Read|Delivered|Today)\b/)
})

test('Alice’s chat is there before the worker has its second file, and she writes when it is', async ({ alice, bob }) => {
  const { page } = alice
  await bob.says('kept before')
  await alice.reads('kept before')
  let asked = 0
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.context().route('**/assets/hpke-*.js', async (route) => {
    asked++
    await held
    await route.continue()
  })
  await page.reload()
  await alice.reads('kept before')
  await expect.poll(() => asked).toBe(1)
  release()
  await alice.says('written after')
  await bob.reads('written after')
  await page.context().unroute('**/assets/hpke-*.js')
})

test('Alice’s second start: her list and her open chat are there before the list is answered, which is asked for once', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await bob.says('kept for the next start')
  await alice.reads('kept for the next start')
  const before = await page.evaluate(shownRow)
  await page.reload()
  await alice.reads('kept for the next start')
  await keepsShown(page, before)
  const lists: string[] = []
  const both: string[] = []
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.context().route(/\/api\/rooms(\?|$)/, async (route) => {
    const url = route.request().url()
    // What has changed since may be asked for at any time.
    if (!/[?&](since|ids)=/.test(url)) lists.push(url)
    await held
    await route.continue()
  })
  await page.context().route(/\/api\/(user|devices\/unlock)$/, async (route) => {
    both.push(new URL(route.request().url()).pathname)
    // Neither is answered before both are asked for.
    await expect.poll(() => both.length).toBeGreaterThan(1)
    await route.continue()
  })
  await page.reload()
  await alice.reads('kept for the next start')
  await page.locator('a.row, .row a').first().waitFor()
  await expect.poll(() => lists.length).toBe(1)
  release()
  await alice.says('and on it goes')
  await bob.reads('and on it goes')
  await page.context().unroute(/\/api\/rooms(\?|$)/)
  await page.context().unroute(/\/api\/(user|devices\/unlock)$/)
  expect(lists).toHaveLength(1)
})

test('Whoever types on after Enter loses no letter, at any pace and behind any connection', async ({ alice, bob }) => {
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
    const lines = [`${latency} at ${keyMs}`, `on ${latency} ${keyMs}`]
    // One key after another, as hands do; `fill` would wait for the field.
    await page.keyboard.type(`${lines.join('\n')}\n`, { delay: keyMs })
    wanted.push(...lines)
  }
  await page.keyboard.type('left in the field', { delay: 15 })
  const shown = async (one: typeof alice) => (await one.shows()).slice(-wanted.length)
  await expect.poll(() => shown(alice)).toEqual(wanted)
  expect(await field.inputValue()).toBe('left in the field')
  expect(await page.evaluate(() => (window as unknown as { shutAt: string[] }).shutAt)).toEqual([])
  await bob.reads('on 800 110')
  expect(await shown(bob)).toEqual(wanted)
  await page.unrouteAll({ behavior: 'wait' })
  await field.fill('')
})

test('A reload in the middle of a chat keeps every word, also the unsent one in the composer', async ({ alice, bob }) => {
  await alice.says('before the reload')
  await bob.reads('before the reload')
  await alice.drafts('half a thought')
  // A newer server no longer has the screen's code.
  const { page } = alice
  await page.route('**/assets/Settings-*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('button', { name: 'Profile Settings' }).click()
  await page.getByText('This part of the page did not load').waitFor()
  await looksFine(page, 'part that did not load')
  // The browser and React have said so too.
  expect(takeUncaught()).toEqual([expect.stringMatching(/^Incident /)])
  alice.complaints.splice(0)
  await page.unroute('**/assets/Settings-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await page.goBack()
  await alice.reads('before the reload')
  const holds = (query: string) => document.querySelector<HTMLTextAreaElement>(query)?.value === 'half a thought'
  await page.waitForFunction(holds, COMPOSER)
  await bob.says('still here')
  await alice.reads('still here')
})

test('Two tabs of Bob show every message once', async ({ alice, bob }) => {
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
  await second.close()
})

test('Larger text, a low window, and too many words: the end of the chat and the whole field stay on screen', async ({
  alice,
}) => {
  const { page } = alice
  for (let at = 1; at <= 12; at++) await alice.says(`low ${at}.`)
  const field = page.getByLabel('Message', { exact: true })
  const fromEnd = () => page.getByRole('log').evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight))
  await field.fill('word '.repeat(15_000))
  await page.getByRole('alert').filter({ hasText: 'Too long' }).waitFor()
  await expect.poll(fromEnd).toBeLessThan(5)
  await field.fill('')
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
  const isCut = () =>
    field.evaluate((area) => {
      const box = area.closest('.input')?.getBoundingClientRect()
      return area.scrollHeight > area.clientHeight || !box || box.bottom > innerHeight || box.height < area.clientHeight
    })
  await expect.poll(isCut).toBe(false)
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'))
  await page.setViewportSize({ width: 320, height: 256 })
  const logHeight = () => page.getByRole('log').evaluate((log) => log.clientHeight)
  await expect.poll(logHeight).toBeGreaterThan(140)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('The list begins below 104 px on a phone, the day stays in sight of who scrolls, and a wide screen has one column', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  for (let at = 1; at <= 12; at++) await alice.says(`of today ${at}. ${'one more line '.repeat(14)}`)
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await page.getByRole('button', { name: 'Back to contacts' }).click()
    await page.locator('a.row').first().waitFor()
    // Between these two stand at most the notes of a first day, which go.
    const heights = await Promise.all(['.top', '.find'].map((part) => page.locator(part).boundingBox()))
    expect(heights.reduce((sum, box) => sum + (box?.height ?? Number.NaN), 0)).toBeLessThanOrEqual(104)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    await alice.opens(bob)
  }
  // While she scrolls, the day of the first message on screen stands above it, unless its own line does.
  await page.setViewportSize({ width: 360, height: 480 })
  const [day, log] = [page.locator('.sticky-day'), page.getByRole('log')]
  const isAboveLog = () => day.evaluate((line) => line.classList.contains('on') && line.textContent === 'Today')
  await log.hover()
  const scrolls = async (dy: number) => {
    await page.mouse.wheel(0, dy)
    return await isAboveLog()
  }
  await expect.poll(() => scrolls(-120)).toBe(true)
  // The answer may be older than the wheel: only the day's own line says that its begin is on screen.
  await expect.poll(async () => !(await scrolls(-2000)) && (await page.locator('.day').count()) > 0).toBe(true)
  const [line, frame] = [await page.locator('.day').first().boundingBox(), await log.boundingBox()]
  expect(line?.y ?? 0).toBeGreaterThanOrEqual(frame?.y ?? 1)

  await page.setViewportSize({ width: 2560, height: 1440 })
  const edges = () =>
    page.evaluate(() =>
      ['.head', '.line', '.compose'].map((query) => {
        const part = document.querySelector(query)
        const { left = 0, right = 0 } = part?.getBoundingClientRect() ?? {}
        const { paddingLeft, paddingRight } = part ? getComputedStyle(part) : { paddingLeft: '', paddingRight: '' }
        return [left + Number.parseFloat(paddingLeft), right - Number.parseFloat(paddingRight)].map(Math.round)
      }),
    )
  // The scroll bar of the messages takes some pixels of theirs.
  const farthest = async () => {
    const [lefts, rights] = [0, 1].map((side) => edges().then((all) => all.map((edge) => edge[side] ?? 0)))
    const spans = [await lefts, await rights].map((places = []) => Math.max(...places) - Math.min(...places))
    return Math.max(...spans)
  }
  await expect.poll(farthest).toBeLessThanOrEqual(12)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('In forced colours, which draw no fill and no shadow, bubbles and the open chat keep an edge, and whatever has the focus an outline', async ({
  alice,
}) => {
  const { page } = alice
  await alice.says('seen without colours')
  await page.emulateMedia({ forcedColors: 'active' })
  const drawn = (query: string) =>
    page
      .locator(query)
      .last()
      .evaluate((element) => {
        const { borderTopStyle, outlineStyle } = getComputedStyle(element)
        return borderTopStyle !== 'none' || outlineStyle !== 'none'
      })
  for (const query of ['.bub', 'a.row.on', '.av', '.compose .input']) expect(await drawn(query), query).toBe(true)
  const unseen: string[] = []
  await page.locator('body').focus()
  for (let stop = 0; stop < 25; stop++) {
    await page.keyboard.press('Tab')
    unseen.push(
      ...(await page.evaluate(() => {
        const { activeElement } = document
        if (!activeElement || activeElement === document.body) return []
        return getComputedStyle(activeElement).outlineStyle === 'none' ? [activeElement.outerHTML.slice(0, 80)] : []
      })),
    )
  }
  expect(unseen).toEqual([])
  await page.emulateMedia({ forcedColors: null })
  await page.getByLabel('Message', { exact: true }).focus()
})

test('Bob is away for sixty messages and a change of keys, and reads all of them when he comes back', async ({ alice, bob }) => {
  await alice.says('come back soon')
  await bob.reads('come back soon')
  await bob.goesOffline()
  await bob.page.getByText('You are offline').first().waitFor()
  const field = alice.page.getByLabel('Message', { exact: true })
  for (let at = 1; at <= 60; at++) {
    await field.fill(`message ${at}.`)
    await field.press('Enter')
  }
  await alice.reads('message 60.')
  await alice.seesTick('message 60.', 'Sent')
  await bob.comesBack()
  await bob.reads('message 60.')
  await alice.seesTick('message 60.', 'Read')
  await bob.says('I have read everything')
  await alice.reads('I have read everything')
})

test('A draft stands in its row, a finger that rests there opens the menu, and whoever is removed leaves the list with the chat', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await alice.drafts('half a line')
  await page.keyboard.press('Escape')
  await page.getByText('People find you as').waitFor()
  const row = page.getByRole('link', { name: /Draft: half a line/ })
  await row.waitFor()
  const { x = 0, y = 0 } = (await row.boundingBox()) ?? {}
  const finger = { pointerType: 'touch', isPrimary: true, clientX: x + 40, clientY: y + 20, bubbles: true }
  await row.dispatchEvent('pointerdown', finger)
  await page.getByRole('menuitem', { name: 'Remove contact' }).waitFor()
  await row.dispatchEvent('pointerup', finger)
  // Lifting the finger opens nothing.
  await row.dispatchEvent('click')
  expect(page.url()).not.toContain('/chat/')
  await page.getByRole('menuitem', { name: 'Remove contact' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText(`Remove ${bob.name}?`).waitFor()
  await looksFine(page, 'remove contact')
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByText('No contacts yet. Add some to start chatting!').waitFor()
})
