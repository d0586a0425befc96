import { useState } from 'react'
import { type TextSize as Size, shownTextSize, showTextSize } from './chatText.ts'
import '../ui/segments.css'
import './sample.css'

const SIZES: { size: Size; words: string }[] = [
  { size: 'small', words: 'Small' },
  { size: '', words: 'Normal' },
  { size: 'large', words: 'Large' },
  { size: 'largest', words: 'Largest' },
]

/** How large this browser shows what people write, with a line to see it by. */
export function TextSize() {
  const [now, setNow] = useState(shownTextSize)
  function choose(size: Size) {
    showTextSize(size)
    setNow(size)
  }
  return (
    <div className="stack tight">
      <fieldset className="segmented">
        <legend className="sr">Text size</legend>
        <div className="segments">
          {SIZES.map(({ size, words }) => (
            <label key={words}>
              <input type="radio" name="text-size" checked={size === now} onChange={() => choose(size)} />
              {words}
            </label>
          ))}
        </div>
      </fieldset>
      <p className="text-sample" aria-hidden>
        So large will each message be.
      </p>
    </div>
  )
}
