import { expect, test } from 'vitest'
import { textParts } from './links.ts'

const hrefs = (text: string) => textParts(text).flatMap((part) => part.href ?? [])
const joined = (text: string) =>
  textParts(text)
    .map((part) => part.text)
    .join('')

test('a web address becomes a link and the words around it stay', () => {
  expect(textParts('Read https://example.org/a?b=1#c today')).toEqual([
    { text: 'Read ' },
    { text: 'https://example.org/a?b=1#c', href: 'https://example.org/a?b=1#c' },
    { text: ' today' },
  ])
})

test('what begins with www. is a link, by https, and a mail address opens a letter', () => {
  expect(hrefs('See www.example.org/a. Or write to (eleanor.w+press@mail.example.org), please')).toEqual([
    'https://www.example.org/a',
    'mailto:eleanor.w+press@mail.example.org',
  ])
  expect(hrefs('www. www.example @bob a@b bob@localhost 3@4.5 www..org')).toEqual([])
})

test('a mail address inside a web address is part of it, and no letter is filled in', () => {
  expect(hrefs('https://a.example/?to=bob@b.example')).toEqual(['https://a.example/?to=bob@b.example'])
  expect(hrefs('https://a.example/(bob@b.example)')).toEqual(['https://a.example/(bob@b.example)'])
  expect(hrefs('bob@b.example?subject=x&body=y')).toEqual(['mailto:bob@b.example'])
})

test('only http, https and mail are links', () => {
  expect(hrefs('javascript:alert(1) data:text/html,x ftp://a.example vbscript:x mailto:a@b.example')).toEqual([])
})

test('the end of a sentence does not belong to the address', () => {
  expect(hrefs('See https://example.org/a. And (https://example.org/b), "https://example.org/c"!')).toEqual([
    'https://example.org/a',
    'https://example.org/b',
    'https://example.org/c',
  ])
  expect(hrefs('https://example.org/wiki/Key_(lock)')).toEqual(['https://example.org/wiki/Key_(lock)'])
})

test('what looks like an address and is none stays text', () => {
  expect(hrefs('https:// and http://[ and https://')).toEqual([])
})

test('a deceiving host is shown as the browser will open it', () => {
  expect(hrefs('https://exаmple.org/')).toEqual(['https://xn--exmple-4nf.org/'])
})

test('no character is lost', () => {
  for (const text of [
    '',
    'a',
    ' https://a.example, https://b.example. ',
    '(https://a.example)\n\nhttp://[x',
    'été https://a.example/é',
    'a@b.example, www.c.example (d@e.example).',
  ])
    expect(joined(text)).toBe(text)
})
