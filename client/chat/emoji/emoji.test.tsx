// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { actShape } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID } from '../../testing/shown.ts'
import { closeStep } from '../../ui/steps.ts'
import type { UsedEmojis } from '../../worker/crypto.ts'
import { EmojiPicker } from './EmojiPicker.tsx'
import { EMOJIS, findEmojis } from './emojis.ts'

openScreen()

let kept: UsedEmojis
let picked: string[]
let closes: number

const crypto = {
  readEmojis: async () => kept,
  keepEmojis: async (now: UsedEmojis) => {
    kept = now
  },
} as unknown as Env['crypto']

beforeEach(() => {
  kept = { used: [], tone: 0 }
  picked = []
  closes = 0
})

const opens = () =>
  show(
    <EmojiPicker
      title="Emoji"
      at={{ x: 900, y: 700 }}
      onPick={(emoji) => picked.push(emoji)}
      onClose={() => {
        closes += 1
      }}
    />,
    makeAnswers(),
    { crypto },
  )
const field = () => screen.getByRole('combobox', { name: 'Search emoji' })
const group = (name: string) => within(screen.getByRole('group', { name })).getAllByRole('option')
const marked = () => within(screen.getByRole('listbox')).getByRole('option', { selected: true })

test('Every emoji is one that a reaction may be, and has a name and a code', () => {
  const all = EMOJIS.flatMap(({ emojis }) => emojis)
  expect(all.length).toBeGreaterThan(1800)
  for (const { text, name, code, tones } of all) {
    expect(name && code, text).toBeTruthy()
    for (const emoji of [text, ...tones]) {
      const act = { type: 'reaction', target: { senderId: ALICE_ID, id: BOB_ID }, emojis: [emoji] }
      expect(actShape.safeParse(act).success, emoji).toBe(true)
    }
  }
})

test('A search finds by code first, then by name, then by any word; each word that is asked must begin one', () => {
  expect(findEmojis('smile', 3)[0]?.code).toBe('smile')
  expect(findEmojis('thumbsup', 1)[0]?.text).toBe('👍')
  expect(findEmojis('pray', 1)[0]?.text).toBe('🙏')
  expect(findEmojis('folded hands', 1)[0]?.text).toBe('🙏')
  expect(findEmojis('thumbs d', 1)[0]?.text).toBe('👎')
  expect(findEmojis('no such thing', 9)).toEqual([])
  expect(findEmojis(' ', 9)).toEqual([])
})

test('Alice types, walks by arrows and takes one by Enter, which closes; what she took stands first the next time', async () => {
  const { person, again } = opens()
  expect(document.activeElement).toBe(field())
  await person.type(field(), 'heart')
  const found = group('Found').map(({ textContent }) => textContent)
  await person.keyboard('{ArrowDown}')
  expect(marked().textContent).toBe(found[8])
  await person.keyboard('{ArrowUp}{Enter}')
  expect([picked, closes]).toEqual([[found[0]], 1])
  await waitFor(() => expect(kept.used).toEqual([found[0]]))
  again(<p>closed</p>)
  opens()
  await waitFor(() => expect(group('Last used').map(({ textContent }) => textContent)).toEqual([found[0]]))
})

test('Shift with Enter or a press takes one and stays; a step back closes', async () => {
  const { person } = opens()
  const [first, second] = group('Faces')
  await person.keyboard('{Shift>}{Enter}{/Shift}{ArrowRight}')
  await waitFor(() => expect(kept.used).toEqual([first?.textContent]))
  await person.keyboard('{Shift>}')
  await person.click(second ?? expect.fail())
  await person.keyboard('{/Shift}')
  expect([picked, closes]).toEqual([[first?.textContent, second?.textContent], 0])
  closeStep()
  expect(closes).toBe(1)
})

test('A skin tone holds for all hands, and is kept', async () => {
  const { person } = opens()
  await person.selectOptions(screen.getByRole('combobox', { name: 'Skin tone' }), '3')
  await person.type(field(), 'wave')
  expect(marked().textContent).toBe('👋🏽')
  await person.keyboard('{Enter}')
  expect(picked).toEqual(['👋🏽'])
  await waitFor(() => expect(kept).toEqual({ used: ['👋🏽'], tone: 3 }))
})

test('Where nothing is found that is said, and Enter takes nothing', async () => {
  const { person } = opens()
  await person.type(field(), 'no such thing{Enter}')
  expect(screen.getByRole('status').textContent).toBe('No emoji is called that')
  expect([picked, closes]).toEqual([[], 0])
})
