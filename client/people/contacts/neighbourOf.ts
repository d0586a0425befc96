/**
 * Notes what stands beside a row of the list. The returned function focuses it after the row has gone: the next row, else the one
 * before, else the search.
 */
export function neighbourOf(chatRoomId: string): () => void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-room]')]
  const at = links.findIndex((link) => link.dataset['room'] === chatRoomId)
  const ids = [links[at + 1], links[at - 1]].flatMap((link) => link?.dataset['room'] ?? [])
  return () =>
    requestAnimationFrame(() => {
      const beside = ids.flatMap((id) => document.querySelector<HTMLElement>(`[data-room="${CSS.escape(id)}"]`) ?? [])
      const [first = document.querySelector<HTMLElement>('.find input')] = beside
      first?.focus()
    })
}
