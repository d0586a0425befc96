import { askOffers, columnOf, priceLine } from './offers.ts'

/** Says in the landing what this server asks for: in one line, and in a column for each plan. Without an answer it stays as it is. */
export async function showPrices(): Promise<void> {
  const offers = await askOffers().catch(() => [])
  const line = priceLine(offers)
  const [place, section] = [document.getElementById('price'), document.getElementById('prices')]
  if (line === undefined || !place || !section) return
  const link = Object.assign(document.createElement('a'), { href: '#prices', textContent: 'What it costs' })
  place.replaceChildren(textIn('b', line), ' ', link)
  section.querySelector('.prices')?.append(
    ...offers.map(columnOf).map(({ name, price, period, text }) => {
      const column = document.createElement('article')
      const amount = textIn('b', price)
      amount.append(textIn('small', period))
      column.append(textIn('h3', name), amount, textIn('p', text))
      return column
    }),
  )
  section.hidden = false
  // The browser has looked for the hash before the section was there.
  if (location.hash === '#prices') section.scrollIntoView()
}

function textIn(tag: 'b' | 'small' | 'h3' | 'p', text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  // Names of plans are typed by operators.
  if (tag === 'h3') made.dir = 'auto'
  return made
}
