import { beforeEach, expect, test } from 'vitest'
import { dismissToast, dropToasts, showToast, toastStore } from './toast.ts'

beforeEach(() => toastStore.setState({ queue: [] }))

const say = (text: string, more: { title?: string; mustBeSeen?: boolean } = {}) =>
  showToast({ tone: 'bad', title: 'Error', text, ...more })
const texts = () => toastStore.getState().queue.map(({ text }) => text)
const endFirst = () => dismissToast(toastStore.getState().queue[0]?.id ?? 0)

test('Toasts wait for each other in their order, and none is lost, also under one title', () => {
  for (const text of ['first', 'second', 'third']) say(text)
  const shown = []
  for (let left = 3; left > 0; left--) {
    shown.push(texts()[0])
    endFirst()
  }
  expect(shown).toEqual(['first', 'second', 'third'])
  expect(texts()).toEqual([])
})

test('What is on screen keeps its place while others come', () => {
  say('first')
  const [first] = toastStore.getState().queue
  for (const text of ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']) say(text)
  expect(toastStore.getState().queue[0]).toBe(first)
})

test('The same words are said once while they are shown or wait, and again afterwards', () => {
  say('busy')
  say('other')
  say('busy')
  say('busy', { title: 'Another title' })
  expect(texts()).toEqual(['busy', 'other', 'busy'])
  endFirst()
  endFirst()
  endFirst()
  say('busy')
  expect(texts()).toEqual(['busy'])
})

test('A new action or screen drops what is older, shown and waiting; what comes of it is shown at once', () => {
  say('You cannot add yourself')
  say('second')
  dropToasts()
  expect(texts()).toEqual([])
  say('what came of it')
  expect(texts()).toEqual(['what came of it'])
})

test('A failure of cryptography is shown all the same, also where it waits behind others', () => {
  say('first')
  say('The key changed', { mustBeSeen: true })
  say('third')
  dropToasts()
  expect(texts()).toEqual(['The key changed'])
})

test('At most six are kept: the oldest that waits gives way, and what must be seen last', () => {
  say('shown')
  say('The key changed', { mustBeSeen: true })
  for (let at = 1; at <= 20; at++) say(`number ${at}`)
  expect(texts()).toEqual(['shown', 'The key changed', 'number 17', 'number 18', 'number 19', 'number 20'])
  for (let at = 1; at <= 20; at++) say(`failure ${at}`, { mustBeSeen: true })
  expect(texts()).toEqual(['shown', ...[16, 17, 18, 19, 20].map((at) => `failure ${at}`)])
})

test('Thirteen files that are refused put up one toast, which counts them', () => {
  const many = {
    kind: 'files',
    words: (count: number) => ({ title: `${count} files not available`, text: 'Each says why in the chat.' }),
  }
  say('shown')
  for (let at = 1; at <= 13; at++) showToast({ tone: 'bad', title: `Image not available: ${at}.jpg`, text: 'why', many })
  expect(toastStore.getState().queue.map(({ title }) => title)).toEqual(['Error', '13 files not available'])
  endFirst()
  endFirst()
  showToast({ tone: 'bad', title: 'Image not available: 14.jpg', text: 'why', many })
  expect(toastStore.getState().queue.map(({ title }) => title)).toEqual(['Image not available: 14.jpg'])
})
