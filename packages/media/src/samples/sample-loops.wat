;; The loops over samples that every participant costs, eight samples a round (WebAssembly SIMD).
;;
;; Addresses are of the sample memory. Frames hold 16-bit samples, sums 32-bit ones, both little-endian. Every count is a
;; multiple of eight and above zero. `sample-loops.ts` is the only caller. After a change: node tools/sample-loops/write-binary.ts
(module
  (import "samples" "memory" (memory 1))

  ;; sum = frame
  (func (export "widen") (param $frame i32) (param $count i32) (param $sum i32)
    (local $end i32) (local $eight v128)
    (local.set $end (i32.add (local.get $frame) (i32.shl (local.get $count) (i32.const 1))))
    (loop $next
      (local.set $eight (v128.load (local.get $frame)))
      (v128.store (local.get $sum) (i32x4.extend_low_i16x8_s (local.get $eight)))
      (v128.store offset=16 (local.get $sum) (i32x4.extend_high_i16x8_s (local.get $eight)))
      (local.set $sum (i32.add (local.get $sum) (i32.const 32)))
      (local.set $frame (i32.add (local.get $frame) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $frame) (local.get $end)))))

  ;; sum += frame
  (func (export "add") (param $frame i32) (param $count i32) (param $sum i32)
    (local $end i32) (local $eight v128)
    (local.set $end (i32.add (local.get $frame) (i32.shl (local.get $count) (i32.const 1))))
    (loop $next
      (local.set $eight (v128.load (local.get $frame)))
      (v128.store (local.get $sum)
        (i32x4.add (v128.load (local.get $sum)) (i32x4.extend_low_i16x8_s (local.get $eight))))
      (v128.store offset=16 (local.get $sum)
        (i32x4.add (v128.load offset=16 (local.get $sum)) (i32x4.extend_high_i16x8_s (local.get $eight))))
      (local.set $sum (i32.add (local.get $sum) (i32.const 32)))
      (local.set $frame (i32.add (local.get $frame) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $frame) (local.get $end)))))

  ;; out = sum − own, saturated to 16 bits; returns the largest magnitude before that.
  (func (export "subtract") (param $sum i32) (param $own i32) (param $count i32) (param $out i32) (result i32)
    (local $end i32) (local $eight v128) (local $low v128) (local $high v128) (local $peaks v128)
    (local.set $end (i32.add (local.get $own) (i32.shl (local.get $count) (i32.const 1))))
    (loop $next
      (local.set $eight (v128.load (local.get $own)))
      (local.set $low (i32x4.sub (v128.load (local.get $sum)) (i32x4.extend_low_i16x8_s (local.get $eight))))
      (local.set $high
        (i32x4.sub (v128.load offset=16 (local.get $sum)) (i32x4.extend_high_i16x8_s (local.get $eight))))
      (local.set $peaks
        (i32x4.max_s (local.get $peaks) (i32x4.max_s (i32x4.abs (local.get $low)) (i32x4.abs (local.get $high)))))
      (v128.store (local.get $out) (i16x8.narrow_i32x4_s (local.get $low) (local.get $high)))
      (local.set $sum (i32.add (local.get $sum) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $own (i32.add (local.get $own) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $own) (local.get $end))))
    (call $largest (local.get $peaks)))

  ;; out = (sum − own) × gain, where the gain moves by $step with each of the first $ramp samples from $before on. What is above
  ;; the ceiling is compressed into the room above it, as `bend` of soft-ceiling.ts does it.
  (func (export "scale")
    (param $sum i32) (param $own i32) (param $count i32) (param $out i32)
    (param $before f32) (param $step f32) (param $ramp f32)
    (local $end i32) (local $eight v128) (local $at v128)
    (local.set $end (i32.add (local.get $own) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $at (v128.const f32x4 1 2 3 4))
    (loop $next
      (local.set $eight (v128.load (local.get $own)))
      (v128.store
        (local.get $out)
        (i16x8.narrow_i32x4_s
          (call $scaled
            (i32x4.sub (v128.load (local.get $sum)) (i32x4.extend_low_i16x8_s (local.get $eight)))
            (local.get $at)
            (local.get $before)
            (local.get $step)
            (local.get $ramp))
          (call $scaled
            (i32x4.sub (v128.load offset=16 (local.get $sum)) (i32x4.extend_high_i16x8_s (local.get $eight)))
            (f32x4.add (local.get $at) (v128.const f32x4 4 4 4 4))
            (local.get $before)
            (local.get $step)
            (local.get $ramp))))
      (local.set $at (f32x4.add (local.get $at) (v128.const f32x4 8 8 8 8)))
      (local.set $sum (i32.add (local.get $sum) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $own (i32.add (local.get $own) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $own) (local.get $end)))))

  ;; Four samples; $at are their numbers in the frame, from 1 on.
  (func $scaled
    (param $four v128) (param $at v128) (param $before f32) (param $step f32) (param $ramp f32) (result v128)
    (local $size v128) (local $over v128)
    (local.set $four
      (f32x4.mul
        (f32x4.convert_i32x4_s (local.get $four))
        (f32x4.add
          (f32x4.splat (local.get $before))
          (f32x4.mul
            (f32x4.splat (local.get $step))
            (f32x4.pmin (local.get $at) (f32x4.splat (local.get $ramp)))))))
    (local.set $size (f32x4.abs (local.get $four)))
    ;; CEILING is 29,204, and ROOM the 3,563 above it.
    (local.set $over
      (f32x4.pmax
        (f32x4.sub (local.get $size) (v128.const f32x4 29204 29204 29204 29204))
        (v128.const f32x4 0 0 0 0)))
    (local.set $size
      (f32x4.add
        (f32x4.pmin (local.get $size) (v128.const f32x4 29204 29204 29204 29204))
        (f32x4.div
          (f32x4.mul (local.get $over) (v128.const f32x4 3563 3563 3563 3563))
          (f32x4.add (local.get $over) (v128.const f32x4 3563 3563 3563 3563)))))
    (i32x4.trunc_sat_f32x4_s
      (f32x4.nearest
        ;; The sign of the sample.
        (v128.bitselect
          (local.get $four)
          (local.get $size)
          (v128.const i32x4 0x80000000 0x80000000 0x80000000 0x80000000)))))

  ;; The mean square of a frame without its mean, exact until the divisions.
  (func (export "power") (param $frame i32) (param $count i32) (result f64)
    (local $end i32) (local $eight v128) (local $pairs v128) (local $sums v128) (local $squares v128) (local $mean f64)
    (local.set $end (i32.add (local.get $frame) (i32.shl (local.get $count) (i32.const 1))))
    (loop $next
      (local.set $eight (v128.load (local.get $frame)))
      (local.set $sums (i32x4.add (local.get $sums) (i32x4.extadd_pairwise_i16x8_s (local.get $eight))))
      ;; Two squares of −32768 fill 32 bits without a sign.
      (local.set $pairs (i32x4.dot_i16x8_s (local.get $eight) (local.get $eight)))
      (local.set $squares
        (i64x2.add
          (local.get $squares)
          (i64x2.add
            (i64x2.extend_low_i32x4_u (local.get $pairs))
            (i64x2.extend_high_i32x4_u (local.get $pairs)))))
      (local.set $frame (i32.add (local.get $frame) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $frame) (local.get $end))))
    (local.set $mean
      (f64.div
        (f64.convert_i32_s
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
            (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
        (f64.convert_i32_u (local.get $count))))
    (f64.sub
      (f64.div
        (f64.convert_i64_u
          (i64.add (i64x2.extract_lane 0 (local.get $squares)) (i64x2.extract_lane 1 (local.get $squares))))
        (f64.convert_i32_u (local.get $count)))
      (f64.mul (local.get $mean) (local.get $mean))))

  ;; G.711 is a floating-point format: the segment is the exponent, the step a mantissa of four bits. So the bits from 19
  ;; on of a magnitude in single precision are segment and step, above the exponent's bias; and the way back is the same.

  ;; µ-law (G.711 table 2a): the magnitude in 14 bits, plus 33, has its highest bit at 5 + segment. All bits are inverted.
  (func (export "compressMu") (param $samples i32) (param $count i32) (param $out i32)
    (local $end i32) (local $eight v128) (local $signs v128)
    (local.set $end (i32.add (local.get $out) (local.get $count)))
    (loop $next
      (local.set $eight (v128.load (local.get $samples)))
      ;; The one's complement mirrors the decision values around −½, as in the ITU-T Software Tool Library.
      (local.set $signs (i16x8.shr_s (local.get $eight) (i32.const 15)))
      (local.set $eight
        (i16x8.min_s
          (i16x8.add
            (i16x8.shr_s (v128.xor (local.get $eight) (local.get $signs)) (i32.const 2))
            (v128.const i16x8 33 33 33 33 33 33 33 33))
          (v128.const i16x8 8191 8191 8191 8191 8191 8191 8191 8191)))
      (local.set $eight
        (i16x8.sub
          (call $exponentAndStep (local.get $eight))
          (v128.const i16x8 0x840 0x840 0x840 0x840 0x840 0x840 0x840 0x840))) ;; 127 + 5
      (local.set $eight
        (v128.xor
          (v128.xor (local.get $eight) (v128.const i16x8 255 255 255 255 255 255 255 255))
          (v128.and (local.get $signs) (v128.const i16x8 128 128 128 128 128 128 128 128))))
      (v128.store64_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $eight) (local.get $eight)))
      (local.set $samples (i32.add (local.get $samples) (i32.const 16)))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $out) (local.get $end)))))

  (func (export "expandMu") (param $bytes i32) (param $count i32) (param $out i32)
    (local $end i32) (local $eight v128) (local $signs v128)
    (local.set $end (i32.add (local.get $bytes) (local.get $count)))
    (loop $next
      (local.set $eight (v128.not (v128.load8x8_u (local.get $bytes))))
      (local.set $signs (i16x8.shr_s (i16x8.shl (local.get $eight) (i32.const 8)) (i32.const 15)))
      (local.set $eight
        (i16x8.shl
          (i16x8.sub
            (call $magnitude
              (v128.and (local.get $eight) (v128.const i16x8 127 127 127 127 127 127 127 127))
              (i32.const 0x42000000)) ;; 127 + 5
            (v128.const i16x8 33 33 33 33 33 33 33 33))
          (i32.const 2)))
      (v128.store
        (local.get $out)
        (i16x8.sub (v128.xor (local.get $eight) (local.get $signs)) (local.get $signs)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $bytes (i32.add (local.get $bytes) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $bytes) (local.get $end)))))

  ;; A-law (G.711 table 1a): the magnitude in 12 bits has its highest bit at 3 + segment, but segment 0 is linear. Even bits
  ;; are inverted.
  (func (export "compressA") (param $samples i32) (param $count i32) (param $out i32)
    (local $end i32) (local $eight v128) (local $signs v128)
    (local.set $end (i32.add (local.get $out) (local.get $count)))
    (loop $next
      (local.set $eight (v128.load (local.get $samples)))
      (local.set $signs (i16x8.shr_s (local.get $eight) (i32.const 15)))
      (local.set $eight (i16x8.shr_s (v128.xor (local.get $eight) (local.get $signs)) (i32.const 4)))
      (local.set $eight
        (v128.bitselect
          (local.get $eight)
          (i16x8.sub
            (call $exponentAndStep (local.get $eight))
            (v128.const i16x8 0x820 0x820 0x820 0x820 0x820 0x820 0x820 0x820)) ;; 127 + 3
          (i16x8.lt_s (local.get $eight) (v128.const i16x8 16 16 16 16 16 16 16 16))))
      (local.set $eight
        (v128.xor
          (v128.xor (local.get $eight) (v128.const i16x8 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5))
          (v128.and (local.get $signs) (v128.const i16x8 128 128 128 128 128 128 128 128))))
      (v128.store64_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $eight) (local.get $eight)))
      (local.set $samples (i32.add (local.get $samples) (i32.const 16)))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $out) (local.get $end)))))

  (func (export "expandA") (param $bytes i32) (param $count i32) (param $out i32)
    (local $end i32) (local $eight v128) (local $signs v128)
    (local.set $end (i32.add (local.get $bytes) (local.get $count)))
    (loop $next
      ;; 0xd5 inverts the sign bit as well, which is 1 for positive.
      (local.set $eight
        (v128.xor
          (v128.load8x8_u (local.get $bytes))
          (v128.const i16x8 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5 0xd5)))
      (local.set $signs (i16x8.shr_s (i16x8.shl (local.get $eight) (i32.const 8)) (i32.const 15)))
      (local.set $eight (v128.and (local.get $eight) (v128.const i16x8 127 127 127 127 127 127 127 127)))
      (local.set $eight
        (i16x8.shl
          (v128.bitselect
            ;; 2 × step + 1: the middle of a step of segment 0
            (i16x8.add
              (i16x8.shl (local.get $eight) (i32.const 1))
              (v128.const i16x8 1 1 1 1 1 1 1 1))
            (call $magnitude (local.get $eight) (i32.const 0x41800000)) ;; 127 + 4
            (i16x8.lt_s (local.get $eight) (v128.const i16x8 16 16 16 16 16 16 16 16)))
          (i32.const 3)))
      (v128.store
        (local.get $out)
        (i16x8.sub (v128.xor (local.get $eight) (local.get $signs)) (local.get $signs)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $bytes (i32.add (local.get $bytes) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $bytes) (local.get $end)))))

  ;; The exponent of each magnitude, biased by 127, times 16, plus the four bits after its highest one.
  (func $exponentAndStep (param $eight v128) (result v128)
    (i16x8.narrow_i32x4_s
      (i32x4.shr_u (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))) (i32.const 19))
      (i32x4.shr_u (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight))) (i32.const 19))))

  ;; The middle of the step that segment × 16 + step names; $bias is the exponent of segment 0, where single precision has it.
  (func $magnitude (param $eight v128) (param $bias i32) (result v128)
    (local $first v128)
    ;; The bit after the step's: half a step.
    (local.set $first (i32x4.splat (i32.or (local.get $bias) (i32.const 0x40000))))
    (i16x8.narrow_i32x4_s
      (i32x4.trunc_sat_f32x4_s
        (i32x4.add (local.get $first) (i32x4.shl (i32x4.extend_low_i16x8_u (local.get $eight)) (i32.const 19))))
      (i32x4.trunc_sat_f32x4_s
        (i32x4.add (local.get $first) (i32x4.shl (i32x4.extend_high_i16x8_u (local.get $eight)) (i32.const 19))))))

  ;; Moves bytes that do not overlap.
  (func (export "copy") (param $from i32) (param $bytes i32) (param $to i32)
    (memory.copy (local.get $to) (local.get $from) (local.get $bytes)))

  ;; The largest of four.
  (func $largest (param $four v128) (result i32)
    (local.set $four
      (i32x4.max_s
        (local.get $four)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $four) (local.get $four))))
    (i32x4.extract_lane 0
      (i32x4.max_s
        (local.get $four)
        (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $four) (local.get $four)))))
)
