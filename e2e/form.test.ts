import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { measureBytes } from '../bench/bytes.ts'
import { takeUncaught } from './browser.ts'
import { person, test } from './people.ts'
import { looksFine } from './screen.ts'

/** Holds the code of the page back. The returned function lets it through. */
async function holdCode(page: Page): Promise<() => void> {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/entry-*.js', async (route) => {
    await held
    await route.continue()
  })
  return () => release()
}

test('Alice types into the form before its code is there, and loses nothing', async ({ server }) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  const release = await holdCode(page)
  await page.goto(`${server.url}/auth`, { waitUntil: 'commit' })
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByLabel(/^Password/).fill('half a passw')
  await page.keyboard.press('ArrowLeft')
  const shows = () => page.locator('.auth-form').boundingBox()
  const before = await shows()
  release()
  await page.locator('.frame-form').waitFor({ state: 'detached' })
  expect(await shows()).toEqual(before)
  expect(await page.getByLabel(/^Username/).inputValue()).toBe(alice.username)
  await page.keyboard.type('o')
  expect(await page.getByLabel(/^Password/).inputValue()).toBe('half a passow')
  await page.getByText('is available').first().waitFor({ state: 'attached' })
  expect(alice.complaints).toEqual([])
})

test('What Alice sends before the code is there is sent when it is: a registration by Enter, a sign-in on the other tab', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  let release = await holdCode(page)
  await page.goto(`${server.url}/auth`, { waitUntil: 'commit' })
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByLabel(/^Display name/).fill('Alice')
  await page.getByLabel(/^Password/).fill(alice.password)
  await page.getByLabel(/^Repeat password/).fill(alice.password)
  await page.keyboard.press('Enter')
  // Without the code nothing may be sent: the browser would put the fields into the address.
  expect(new URL(page.url()).search).toBe('')
  release()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()

  const other = await person(server, 'Alice', alice)
  release = await holdCode(other.page)
  await other.page.goto(`${server.url}/auth`, { waitUntil: 'commit' })
  const tab = other.page.getByRole('tab', { name: 'Sign In' })
  await tab.click()
  await other.page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  expect(await tab.evaluate((one) => one === document.activeElement)).toBe(true)
  await other.page.getByLabel(/^Username/).fill(alice.username)
  await other.page.getByLabel(/^Password/).fill(alice.password)
  await other.page.keyboard.press('Enter')
  expect(new URL(other.page.url()).search).toBe('')
  release()
  await other.page.getByRole('button', { name: 'Add this browser' }).waitFor()
  expect([...alice.complaints, ...other.complaints]).toEqual([])
})

test('A tab that Alice pressed before the code was there is open when it is, and the landing does not come back', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  const release = await holdCode(page)
  await page.goto(`${server.url}/auth`, { waitUntil: 'commit' })
  const tab = page.getByRole('tab', { name: 'Sign In' })
  await tab.click()
  // Safari gives a pressed button no focus.
  await tab.blur()
  await page.goto(server.url, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await tab.click()
  release()
  await page.locator('.frame-form').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
})

test('A browser with an account paints the frame of the app first, in its theme, and the form if the session has ended', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  await alice.signsUp()
  await page.getByRole('button', { name: /dark/i }).click()
  const release = await holdCode(page)
  await page.goto(server.url, { waitUntil: 'commit' })
  await page.locator('.frame-app .side').waitFor()
  expect(await page.locator('.frame-form').isVisible()).toBe(false)
  const dark = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  expect(dark).toBe('dark')
  release()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()

  // A bug of ours leaves a text and a number, under which the console has the details.
  await page.route('**/assets/Messenger-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("a bug")' }),
  )
  await page.goto(server.url)
  const incident = await page.getByText(/^Incident [\da-f-]{36}$/).textContent()
  await looksFine(page, 'incident')
  expect(takeUncaught().filter((text) => text.includes(incident ?? 'none'))).toHaveLength(1)
  alice.complaints.length = 0
  await page.unroute('**/assets/Messenger-*.js')

  await alice.context.clearCookies()
  await page.goto(server.url)
  await page.getByText('Your session has ended. Sign in again').waitFor()
  expect(alice.complaints.filter((text) => !text.includes('Not signed in'))).toEqual([])
})

test('Where a part of the encryption cannot be loaded, Alice is told, keeps what she typed, and tries again', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  // A newer version of the page has other names for its parts.
  await page.context().route('**/assets/accountkeys-*.js', (route) => route.fulfill({ status: 404 }))
  await page.goto(`${server.url}/auth`)
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByLabel(/^Display name/).fill('Alice')
  await page.getByLabel(/^Password/).fill(alice.password)
  await page.getByLabel(/^Repeat password/).fill(alice.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('or load the page again').waitFor()
  await page.context().unroute('**/assets/accountkeys-*.js')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
})

const focusedLabel = (page: Page) =>
  page.evaluate(
    () => (document.activeElement instanceof HTMLInputElement && document.activeElement.labels?.[0]?.textContent) || '',
  )

test('Alice mistypes: the refusal stands under her password, her name stays on the way to the kit and back, and no toast comes', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  const focused = () => focusedLabel(page)
  await page.goto(`${server.url}/auth`)
  await expect.poll(focused).toMatch(/^Username/)
  await page.getByText('3 to 30 letters, digits, _').waitFor()
  expect(await page.getByRole('button', { name: 'Show password' }).count()).toBe(2)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByLabel(/^Password/).fill('not the password')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  const password = page.locator('.field', { hasText: 'Password' })
  await password.getByText('Invalid username or password').waitFor()
  await looksFine(page, 'sign in, refused')
  expect(await page.getByText('Sign in failed').count()).toBe(0)
  expect(await focused()).toMatch(/^Password/)
  await page.keyboard.type('x')
  await password.getByRole('alert').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByLabel(/^Username/).fill(`${alice.username}_2`)
  await page.getByRole('button', { name: 'Back to Sign In' }).click()
  expect(await page.getByLabel(/^Username/).inputValue()).toBe(`${alice.username}_2`)
})

test('A tab whose session has ended says why also after a reload, and shows Sign In', async ({ server }) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  await page.goto(server.url)
  await page.evaluate(() => localStorage.setItem('user', '{"id":"1","username":"alice"}'))
  for (let load = 0; load < 2; load++) {
    await page.goto(server.url)
    await page.getByText(/^Your session has ended[.]/).waitFor()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => focusedLabel(page)).toMatch(/^Username/)
  }
})

test('Nothing moves when the fonts come: until then the system’s own stand there, as wide and as high', async ({ server }) => {
  const { page } = await person(server, 'Alice')
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/*.woff2', async (route) => {
    await held
    await route.continue()
  })
  await page.addInitScript(() => {
    let moved = 0
    const note = (list: PerformanceObserverEntryList) => {
      for (const shift of list.getEntries()) moved += 'value' in shift ? Number(shift.value) : 0
      document.documentElement.dataset['moved'] = String(moved)
    }
    new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true })
  })
  const shows = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('#root h1, #root h2, #root label, #root li, #root .fine')].map((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        const { top, width, height } = range.getBoundingClientRect()
        return { top, width, height }
      }),
    )
  await page.goto(`${server.url}/auth`, { waitUntil: 'commit' })
  // Before the page is read it has neither the frame nor the form.
  await page.locator('#root form').waitFor()
  await page.locator('.frame-form').waitFor({ state: 'detached' })
  const before = await shows()
  release()
  await page.evaluate(() => document.fonts.ready.then(() => document.fonts.load('400 16px "Inter Variable"')))
  const after = await shows()
  expect(after.length).toBeGreaterThan(6)
  for (const [at, now] of after.entries()) {
    const was = before[at]
    expect(was?.top).toBeCloseTo(now.top, 0)
    expect(was?.height).toBeCloseTo(now.height, 0)
    expect(Math.abs((was?.width ?? 0) / now.width - 1)).toBeLessThan(0.08)
  }
  expect(Number(await page.evaluate(() => document.documentElement.dataset['moved'] ?? '0'))).toBeLessThan(0.001)
})

test('Every visitor gets the same page under the same policy', async ({ server }) => {
  const ask = async () => {
    const answer = await fetch(server.url, { headers: { accept: 'text/html' } })
    return { text: await answer.text(), policy: answer.headers.get('content-security-policy') }
  }
  const [one, other] = [await ask(), await ask()]
  expect(one).toEqual(other)
  expect(one.text).not.toMatch(/<script(?![^>]* src=)|<style| style=|nonce/)
  expect(one.policy).toContain("style-src 'self';")
})

test('The code of the first form, of the chat, of the landing and of the worker stays small', async () => {
  expect((await measureBytes()).filter(({ isMet }) => isMet !== true)).toEqual([])
})
