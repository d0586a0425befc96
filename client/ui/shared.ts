/** One start for all at a time. */
export function shared<Given>(start: (given: Given) => () => void): (given: Given) => () => void {
  let count = 0
  let end = (): void => undefined
  return (given) => {
    if (count === 0) end = start(given)
    count += 1
    return () => {
      count -= 1
      if (count === 0) end()
    }
  }
}
