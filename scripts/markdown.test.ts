import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { htmlOf } from './markdown.ts'

const docs = path.resolve(import.meta.dirname, '../docs')

test.each(['threat-model.md', 'protocol.md', 'verify.md'])(
  '%s is shown whole: no mark of its writing is left, and every row has its cells',
  (name) => {
    const html = htmlOf(readFileSync(path.join(docs, name), 'utf8'), () => undefined)
    const words = html.replace(/<(pre|code)>.*?<\/\1>/gs, '').replace(/<[^>]+>/g, '')
    expect(words).not.toMatch(/\*\*|`|^#|\]\(|^\s*[-|]/m)
    for (const [table] of html.matchAll(/<table>.*?<\/table>/gs)) {
      const counts = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => row.match(/<t[hd]>/g)?.length)
      expect(new Set(counts).size).toBe(1)
    }
  },
)

test('What a document writes is text: no tag of it reaches the page, and a link leads only where it may', () => {
  const addressOf = (link: string) => (link === 'protocol.md' ? '/security/protocol' : undefined)
  expect(htmlOf('<script>x</script> [a](protocol.md) [b](../x.md) [c](javascript:x) `<i>`', addressOf)).toBe(
    '<p>&lt;script&gt;x&lt;/script&gt; <a href="/security/protocol">a</a> b c <code>&lt;i&gt;</code></p>',
  )
  expect(htmlOf('See https://x.example, <https://x.example> and ![a picture](https://x.example/y.png).', addressOf)).toBe(
    '<p>See https://x.example, &lt;https://x.example&gt; and a picture.</p>',
  )
  expect(htmlOf('By AES-256-GCM, well-known.', addressOf)).toBe('<p>By <span class="whole">AES-256-GCM</span>, well-known.</p>')
  expect(htmlOf('Says:\n- one\n  more\n- two', addressOf)).toBe('<p>Says:</p>\n<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>')
})
