import { expect } from 'vitest'
import { chatters, conversation, test } from './people.ts'

test('Sixty messages that came meanwhile: Alice begins at the first, sees how many are left beside the messages, and jumps to the newest', async ({
  alice,
  bob,
  server,
}) => {
  await conversation(alice, bob)
  await alice.says('before I go')
  await bob.reads('before I go')
  const { page } = alice
  await page.goto(server.url)
  await chatters(
    bob,
    Array.from({ length: 60 }, (_, at) => `line ${at + 1}.${at === 20 ? ' The stationery shop' : ''}`),
  )
  const badge = page.locator('.row .count')
  await badge.filter({ hasText: '60' }).waitFor()

  await alice.opens(bob)
  const divider = page.getByRole('separator', { name: '60 new messages' })
  await divider.waitFor()
  const log = page.getByRole('log')
  const placeOf = async () => {
    const [line, frame] = [await divider.boundingBox(), await log.boundingBox()]
    return ((line?.y ?? 0) - (frame?.y ?? 0)) / (frame?.height ?? 1)
  }
  await expect.poll(placeOf).toBeGreaterThan(0.1)
  await expect.poll(placeOf).toBeLessThan(0.45)
  const left = async () => Number.parseInt((await badge.textContent()) ?? '', 10)
  await expect.poll(left).toBeLessThan(60)
  const opened = await left()
  expect(opened).toBeGreaterThan(30)
  const jump = page.getByRole('button', { name: /^Jump to the newest message, \d+ new$/ })
  expect(await jump.textContent()).toContain(`, ${opened} new`)

  // The circle stands beside the column of messages, never on it.
  const [circle, column] = [await jump.boundingBox(), await page.locator('.line').first().boundingBox()]
  expect(circle?.x ?? 0).toBeGreaterThanOrEqual((column?.x ?? 0) + (column?.width ?? 0) - 56)

  await jump.click()
  await alice.reads('line 60.')
  await badge.waitFor({ state: 'detached' })
})

test('Larger text, a low window, and too many words: the end of the conversation and the whole field stay on screen', async ({
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  for (let at = 1; at <= 12; at++) await alice.says(`line ${at}.`)
  const { page } = alice
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
})
