(module
 (type $t (func (param i32) (result f32 f64)))
 (import "e" "f" (func $f (param i32)))
 (import "e" "g" (global $g (mut i32)))
 (import "e" "m" (memory 1 2 shared))
 (table $tab 2 funcref) (table 3 externref)
 (func $a (type $t) (local i32 i32 v128) (local $x f32)
  block $l (result i32) i32.const 1 br 0 end
  local.get 0
  if (type 0) (param i32) (result f32 f64)
   i32.const -5 drop drop (f32.const nan:0x200000) (f64.const -0x1.8p-3)
   else unreachable end i32.const 0 br_table 0 0 0 )
 (func (export "é\01\"") (param $p i32) (result i32) (local v128) 
   (v128.const i32x4 1 2 3 -1) i8x16.extract_lane_s 3 drop (v128.const i64x2 1 2) (v128.load8_lane offset=4 align=1 2 (local.get 0) (v128.const i32x4 1 2 3 -1)) i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 drop
   (select (result i32) (i32.const 1) (i32.const 2) (i32.const 3))
   (call_indirect $tab (type $t) (i32.const 0)) drop drop
   (table.copy 0 0 (i32.const 0) (i32.const 0)(i32.const 0)) (table.init 1 $e1 (i32.const 0) (i32.const 0)(i32.const 0))
   (memory.init $d (i32.const 0) (i32.const 0)(i32.const 0)) (data.drop $d) (drop (ref.null extern)) (drop (ref.func $a)) (drop (table.get 1 (i32.const 0)))
   (drop (i32.load8_u offset=3 (i32.const 0))) (memory.copy (i32.const 0) (i32.const 0)(i32.const 0)) atomic.fence loop end (i32.const 1) if end (i32.const 9))
 (global $h (mut f64) (f64.const inf)) (global f32 (f32.const nan)) (global f32 (f32.const 3.1)) (global f64 (f64.const 1e300))
 (export "x" (table $tab)) 
 (elem $e1 externref (ref.null extern))
 (elem (i32.const 0) $a $f) (elem (table $tab) (i32.const 0) func $a) (elem declare func $a) (elem (i32.const 0) funcref (ref.null func))
 (elem func $a)
 (data (i32.const 4) "ab\00\ff\"\\\n") (data $d "x")
)
