# SPDX-License-Identifier: GPL-2.0-or-later
# What a script does to load a trace: split lines, make numbers of words that may end in a unit letter, keep pairs.
SHIFT = { 'b' => 0, 'k' => 10, 'm' => 20, 'g' => 30, 't' => 40, 'p' => 12 }.freeze

def bytes(word)
  word.to_i << SHIFT.fetch(word[-1], 12)
end

requests = []
ARGF.each_line do |line|
  offset, length = line.split
  next if offset.nil? || offset.start_with?('#')

  requests << [bytes(offset), bytes(length || '1p')]
end
puts requests.size
