import { Marked, Renderer } from 'marked'

// The documents of docs/ as HTML. What they write is text: no tag of theirs reaches the page.

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Names such as AES-256-GCM have hyphens, at which a narrow column would break them. */
const whole = (text: string): string => text.replace(/\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g, '<span class="whole">$&</span>')

/** Gives the address at which a link of a document is shown; undefined if it is not: then its words stay without it. */
type Addresses = (link: string) => string | undefined

const none = () => undefined

/** The HTML of a document in Markdown. Tags, bare addresses and struck-out words are text, a picture its words. */
export function htmlOf(markdown: string, addressOf: Addresses): string {
  const marked = new Marked({
    tokenizer: { html: none, tag: none, autolink: none, url: none, del: none },
    renderer: {
      code: ({ text }) => `<pre><code>${escaped(text)}</code></pre>\n`,
      codespan: ({ text }) => `<code>${escaped(text)}</code>`,
      image: ({ text }) => escaped(text),
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const address = /^https:\/\//.test(href) ? href : addressOf(href)
        return address ? `<a href="${escaped(address)}">${words}</a>` : words
      },
      table(token) {
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`
      },
      text(token) {
        return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : whole(escaped(token.text))
      },
    },
  })
  return marked.parse(markdown, { async: false }).trimEnd()
}
