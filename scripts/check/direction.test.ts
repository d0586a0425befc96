import { expect, test } from 'vitest'
import { findUndirectedText } from './direction.ts'

const found = (element: string, path = 'client/chat/Some.tsx') =>
  findUndirectedText([{ path, text: `export const Some = () => (${element})\n` }])

test('a field for free text lets the browser find its direction', () => {
  const FREE = [
    '<textarea rows={3} />',
    '<input type="search" />',
    '<input aria-label="Name" />',
    '<Field label="Name" />',
    '<FieldForm />',
  ]
  for (const field of FREE) {
    expect(found(field)).toHaveLength(1)
    expect(found(field.replace(' />', ' dir="auto" />'))).toEqual([])
  }
})

test('a field for something else needs no direction', () => {
  const OTHERS = [
    '<input type="checkbox" />',
    '<Field type="email" label="Email" />',
    '<Field {...VERBATIM} label="Transaction" />',
    '<Field autoCapitalize="none" label="Username" />',
    '<Field readOnly label="Username" />',
    '<input {...input} />',
  ]
  for (const field of OTHERS) expect(found(field)).toEqual([])
})

test('what a person typed is shown inside of an element with a direction', () => {
  const SHOWN = ['user.displayName', 'person?.alias', 'nameOf(person)', 'user.displayName || user.username', 'is && file.caption']
  for (const shown of SHOWN) {
    expect(found(`<p>{${shown}}</p>`)).toHaveLength(1)
    expect(found(`<p dir="auto"><b>{${shown}}</b></p>`)).toEqual([])
    expect(found(`<p><bdi>{${shown}}</bdi> has joined</p>`)).toEqual([])
  }
  expect(found('<p dir="auto">{<Dialog title={<b>{user.displayName}</b>} />}</p>')).toHaveLength(1)
  expect(found('<Avatar name={user.displayName} />')).toEqual([])
  expect(found('<p>{file.caption && <b dir="auto">{file.caption}</b>}</p>')).toEqual([])
  expect(found('<p>{user.username}</p>')).toEqual([])
})

test('tests and the server are exempt', () => {
  expect(found('<textarea />', 'client/chat/Some.test.tsx')).toEqual([])
  expect(found('<textarea />', 'server/chat/page.tsx')).toEqual([])
})
