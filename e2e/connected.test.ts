import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { openContext } from './browser.ts'
import { talking as test } from './people.ts'
import { behind, looksFine } from './screen.ts'

const ADDRESS = `${'q5x3tj7w'.repeat(7)}.onion`

/** The server says that this page came by its onion service. */
const saysOnion = (page: Page) =>
  page.routeWebSocket('**/ws', (here) => {
    const server = here.connectToServer()
    server.onMessage((text) => {
      const frame = JSON.parse(String(text))
      const isHello = frame.type === 'hello'
      here.send(isHello ? JSON.stringify({ ...frame, data: { ...frame.data, ingress: 'onion', onionAddress: ADDRESS } }) : text)
    })
  })

/** The server answers nobody who does not come by Tor. */
const shuts = (page: Page) =>
  page.route('**/api/**', (route) =>
    route.fulfill({ status: 403, json: { code: 'tor_required', error: '', details: { onionAddress: ADDRESS } } }),
  )

test('Alice reads how she is connected beside the status and as a sheet, by keyboard alone', async ({ alice: { page } }) => {
  const status = page.getByRole('button', { name: 'Connected · not via Tor' })
  await status.focus()
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'How you are connected' })
  await sheet.getByText('Your network address', { exact: true }).waitFor()
  await looksFine(page, 'how one is connected')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  expect(await status.evaluate((button) => button === document.activeElement)).toBe(true)

  await saysOnion(page)
  await page.reload()
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Back to contacts' }).click()
  await page.getByRole('button', { name: 'Connected via Tor' }).click()
  const narrow = page.getByRole('dialog', { name: 'Connected via Tor' })
  await narrow.getByText('only if you allow one').waitFor()
  await looksFine(page, 'how one is connected, on a phone')
  await page.keyboard.press('Escape')
  await narrow.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goForward()
})

test('Bob looks at the status while he writes key by key, also behind a slow connection, and goes on where he was', async ({
  bob: { page },
}) => {
  const message = page.getByLabel('Message', { exact: true })
  const status = page.getByRole('button', { name: 'Connected · not via Tor' })
  const sheet = page.getByRole('dialog', { name: 'How you are connected' })
  for (const latencyMs of [0, 800])
    await behind(latencyMs, page, async () => {
      await page.reload()
      await message.focus()
      for (const closes of [() => page.keyboard.press('Escape'), () => status.click()]) {
        await page.keyboard.type('here ', { delay: 15 })
        await status.click()
        await sheet.waitFor()
        await closes()
        await sheet.waitFor({ state: 'detached' })
      }
      await page.keyboard.type('too', { delay: 15 })
      expect(await message.inputValue()).toBe('here here too')
      await message.fill('')
    })
})

test('A server that turns to Tor alone shuts an open page, which says by which address to come; opened again, it has what was typed', async ({
  bob: { page },
}) => {
  const chat = page.url()
  await page.getByLabel('Message', { exact: true }).fill('not sent yet')
  await shuts(page)
  const door = page.getByRole('heading', { name: 'This room opens from Tor alone.' })
  // Whichever question comes next brings the door: the one about calls at the latest.
  await page.getByRole('button', { name: 'Profile Settings' }).or(door).first().click()
  await page.getByRole('link', { name: 'Privacy' }).or(door).first().click()
  await door.waitFor()
  await page.getByText('Nothing of yours is lost').waitFor()
  await looksFine(page, 'the door')
  await page.unrouteAll({ behavior: 'wait' })
  await page.goto(chat)
  await page.getByLabel('Message', { exact: true }).waitFor()
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('not sent yet')
  await page.getByLabel('Message', { exact: true }).fill('')
})

test('A stranger at such a server reads the landing, and its Sign In leads to the door: no form, no socket', async ({
  server,
}) => {
  const page = await (await openContext()).newPage()
  const sockets: string[] = []
  page.on('websocket', (socket) => sockets.push(socket.url()))
  await shuts(page)
  await page.goto(server.url)
  await page.getByRole('heading', { name: 'The room is closed. You hold the key.' }).waitFor()
  await page.getByRole('link', { name: 'Sign In' }).first().click()
  await page.getByText(ADDRESS).waitFor()
  expect(await page.locator('#root :is(input, form)').count()).toBe(0)
  await page.getByRole('link', { name: 'What it claims, and how you can tell' }).click()
  await page.getByRole('heading', { name: 'What holds, and how you can tell.' }).waitFor()
  await page.goBack()
  await page.getByText(ADDRESS).waitFor()
  expect(sockets).toEqual([])
})
