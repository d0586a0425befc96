import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addressOf, askedPlace, GROUPS, partIn } from './places.ts'
import { PARTS } from './settingsWords.ts'

test('The settings open where another screen has asked, else where the address says', () => {
  expect(askedPlace('subscription', 'security')).toBe('plan')
  expect(askedPlace(null, 'plan')).toBe('plan')
  expect(askedPlace(null, 'security')).toBe('security')
  expect(askedPlace(null, null)).toBeUndefined()
})

test('A page that does not exist is passed over', () => {
  expect(askedPlace('billing', 'plan')).toBe('plan')
  expect(askedPlace('billing', 'toString')).toBeUndefined()
})

test('The address of every page opens it again, and that of a part names it', () => {
  for (const place of GROUPS.flat())
    expect(askedPlace(null, new URLSearchParams(addressOf(place).split('?')[1]).get('tab'))).toBe(place)
  expect(addressOf('plan')).toBe('/settings?tab=plan')
  expect(addressOf(PARTS.lock.place, 'lock')).toBe('/settings?tab=security#lock')
  expect([partIn('#lock'), partIn('#toString'), partIn('')]).toEqual(['lock', undefined, undefined])
})

test('Every address of the settings that stands in the source opens its page, and its part of that page', () => {
  const files = readdirSync('client', { recursive: true, encoding: 'utf8' }).filter((name) => /(?<![.]test)[.]tsx?$/.test(name))
  const links = files.flatMap((name) => [
    ...readFileSync(`client/${name}`, 'utf8').matchAll(/'\/settings[?]tab=([^'#]*)(#[^']*)?'/g),
  ])
  expect(links.length).toBeGreaterThan(5)
  for (const [address, tab = '', hash] of links) {
    const part = hash === undefined ? undefined : partIn(hash)
    const place = hash === undefined ? askedPlace(null, tab) : part && PARTS[part].place
    expect([address, place]).toEqual([address, tab])
  }
})
